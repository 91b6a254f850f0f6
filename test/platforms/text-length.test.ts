import t from 'tap'
import type { TextUnit } from '../../src/platforms/contract/limits.ts'
import { normalizeText } from '../../src/platforms/rules/normal-form.ts'
import { countLength } from '../../src/platforms/rules/text-length.ts'
import { collectProblems } from '../helpers/problems.ts'

const family = '👨‍👩‍👧‍👦'
const kiss = '🧑🏻‍❤️‍💋‍🧑🏿'
const flag = '🇺🇦'
const england = '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'
const handshake = '🫱🏻‍🫲🏿'
const longUrl = `https://example.com/${'a'.repeat(200)}`

/** The length of each text in each unit, counted by hand from the definition of the unit. */
const lengths: [string, Record<Exclude<TextUnit, 'clusters'>, number>][] = [
  ['', { x: 0, mastodon: 0, threads: 0, graphemes: 0, 'code points': 0, 'UTF-16 units': 0, bytes: 0 }],
  ['hello', { x: 5, mastodon: 5, threads: 5, graphemes: 5, 'code points': 5, 'UTF-16 units': 5, bytes: 5 }],
  ['a\r\nb', { x: 4, mastodon: 3, threads: 4, graphemes: 3, 'code points': 4, 'UTF-16 units': 4, bytes: 4 }],
  ['é', { x: 1, mastodon: 1, threads: 1, graphemes: 1, 'code points': 1, 'UTF-16 units': 1, bytes: 2 }],
  ['e\u0301', { x: 1, mastodon: 1, threads: 2, graphemes: 1, 'code points': 2, 'UTF-16 units': 2, bytes: 3 }],
  ['x\u0301\u0302', { x: 3, mastodon: 1, threads: 3, graphemes: 1, 'code points': 3, 'UTF-16 units': 3, bytes: 5 }],
  ['漢字', { x: 4, mastodon: 2, threads: 2, graphemes: 2, 'code points': 2, 'UTF-16 units': 2, bytes: 6 }],
  ['𝒳', { x: 2, mastodon: 1, threads: 1, graphemes: 1, 'code points': 1, 'UTF-16 units': 2, bytes: 4 }],
  ['“”—…', { x: 5, mastodon: 4, threads: 4, graphemes: 4, 'code points': 4, 'UTF-16 units': 4, bytes: 12 }],
  ['😀', { x: 2, mastodon: 1, threads: 4, graphemes: 1, 'code points': 1, 'UTF-16 units': 2, bytes: 4 }],
  [family, { x: 2, mastodon: 1, threads: 25, graphemes: 1, 'code points': 7, 'UTF-16 units': 11, bytes: 25 }],
  [kiss, { x: 2, mastodon: 1, threads: 35, graphemes: 1, 'code points': 10, 'UTF-16 units': 15, bytes: 35 }],
  [flag, { x: 2, mastodon: 1, threads: 8, graphemes: 1, 'code points': 2, 'UTF-16 units': 4, bytes: 8 }],
  [england, { x: 2, mastodon: 1, threads: 28, graphemes: 1, 'code points': 7, 'UTF-16 units': 14, bytes: 28 }],
  ['👍🏽', { x: 2, mastodon: 1, threads: 8, graphemes: 1, 'code points': 2, 'UTF-16 units': 4, bytes: 8 }],
  [handshake, { x: 2, mastodon: 1, threads: 19, graphemes: 1, 'code points': 5, 'UTF-16 units': 9, bytes: 19 }],
  ['1\uFE0F\u20E3', { x: 2, mastodon: 1, threads: 7, graphemes: 1, 'code points': 3, 'UTF-16 units': 3, bytes: 7 }],
  ['❤', { x: 2, mastodon: 1, threads: 1, graphemes: 1, 'code points': 1, 'UTF-16 units': 1, bytes: 3 }],
  ['❤\uFE0F', { x: 2, mastodon: 1, threads: 6, graphemes: 1, 'code points': 2, 'UTF-16 units': 2, bytes: 6 }],
  ['⚡\uFE0F', { x: 2, mastodon: 1, threads: 6, graphemes: 1, 'code points': 2, 'UTF-16 units': 2, bytes: 6 }],
  ['©', { x: 1, mastodon: 1, threads: 1, graphemes: 1, 'code points': 1, 'UTF-16 units': 1, bytes: 2 }],
  [longUrl, { x: 23, mastodon: 23, threads: 220, graphemes: 220, 'code points': 220, 'UTF-16 units': 220, bytes: 220 }],
]

t.test('each unit counts a text as its network does', async (t) => {
  for (const [text, expected] of lengths) {
    const units = Object.keys(expected) as TextUnit[]
    t.same(
      Object.fromEntries(units.map((unit) => [unit, countLength(text, unit)])),
      expected,
      JSON.stringify(text.slice(0, 30)),
    )
  }
})

t.test('X: an emoji weighs 2, in the forms that twitter-text takes for one', async (t) => {
  const expected: [string, number, string][] = [
    ['👁‍🗨', 2, 'without either selector'],
    ['👁️‍🗨️', 2, 'with both'],
    ['1\u20E3', 2, 'a keycap without its selector'],
    ['☝\uFE0F🏽', 2, 'a selector before the skin tone'],
    ['🏋\uFE0F\u200D♀\uFE0F', 2, 'a selector before a joiner'],
    ['🏃\u200D♀', 5, 'a runner, a joiner and a sign without its selector'],
    ['😀\uFE0F', 4, 'a selector that this emoji does not take'],
    ['♾\uFE0F', 2, 'an emoji that is newer than the table of twitter-text'],
    ['👨\u200D', 3, 'a joiner at the end counts'],
    ['👨\u200D👨\u200D👨', 8, 'three men are no emoji: each counts, and each joiner'],
    ['👩‍🚀\u200D👩', 5, 'an astronaut, a joiner and a woman'],
    ['🇺', 2, 'half a flag'],
    [`${flag}${flag}a`, 5, 'two flags and a letter'],
  ]
  for (const [text, length, form] of expected) t.equal(countLength(text, 'x'), length, form)
})

t.test('X: the first letter of a text counts beside a domain, unless it is in ASCII', async (t) => {
  const expected: [string, number][] = [
    ['École.fr', 24],
    ['École.fr/é', 24],
    ['a École.fr', 25],
    ['É.fr', 23],
    ['école.example.com', 24],
    ['ecole.fr', 23],
    ['https://école.fr', 23],
  ]
  for (const [text, length] of expected) t.equal(countLength(text, 'x'), length, text)
})

t.test("X: a code point weighs 1 inside the ranges of X's configuration, and 2 outside", async (t) => {
  const light = [0, 0x10ff, 0x2000, 0x200d, 0x2010, 0x201f, 0x2032, 0x2037]
  const heavy = [0x1100, 0x200e, 0x200f, 0x2020, 0x2031, 0x2038, 0xffff, 0x10000, 0x10ffff]
  for (const code of light) t.equal(countLength(String.fromCodePoint(code), 'x'), 1, code.toString(16))
  for (const code of heavy) t.equal(countLength(String.fromCodePoint(code), 'x'), 2, code.toString(16))
})

t.test('Mastodon: each consonant of an Indic conjunct counts, as in versions of Ruby before 4.0', async (t) => {
  const expected: [string, number, number][] = [
    ['क्ष', 1, 2],
    ['हिन्दी', 2, 3],
    ['ലക്ഷ്മി', 2, 4],
    ['\u0915\u094D\u200D\u0937', 1, 2],
    ['நி', 1, 1],
    ['กำ', 1, 1],
    ['한', 1, 1],
    ['👨‍👩‍👧', 1, 1],
    ['\u0D4Eക', 1, 1],
  ]
  const { problems, check } = collectProblems()
  for (const [text, graphemes, clusters] of expected) {
    const counted = (['graphemes', 'clusters', 'mastodon'] as const).map((unit) => countLength(text, unit))
    check(counted, [graphemes, clusters, clusters], text)
  }
  t.strictSame(problems, [])
})

t.test('Mastodon: an http(s) URL counts 23, and a remote mention counts without its domain', async (t) => {
  const expected: [string, number][] = [
    ['example.com', 11],
    ['https://example.com/日本語', 23],
    ['https://example.com/a?q=é.', 24],
    [`a ${longUrl} b`, 27],
    ['dat://example.com/a gopher://example.org gemini://example.net', 71],
    ['dweb://a.com ipfs://a.com ipns://a.com ssb://a.com', 95],
    ['ftp://example.com xhttps://example.com', 38],
    ['https://example.com/?q=😀', 23],
    ['https://example.com/?q=\u{E0067}', 23],
    ['https://example.com/a.(b)!', 24],
    ['https://example.com/a_(日本)', 27],
    ['https://t.co/abc?x=1', 27],
    ['https://example.com😀example.org', 31],
    ['@ada@mastodon.social', 4],
    ['@ada@mastodon.social한https://example.com', 44],
    [`@ada@${'a.'.repeat(127)}a`, 260],
    ['hi @ada.b@mastodon.social!', 10],
    ['@ada', 4],
    ['a@b@c.social', 12],
    ['@ada@mastodon.social@more', 25],
    ['https://mastodon.social/@ada@example.com', 23],
    [`@ada@mastodon.social ${family}`, 6],
  ]
  for (const [text, length] of expected) t.equal(countLength(text, 'mastodon'), length, text)
})

t.test('marks are put in order among 30 at a time, for which alone ICU is fast', async (t) => {
  const pairs = (count: number) => '\u0301\u0316'.repeat(count)
  const long = ' '.repeat(1_000)
  const [first, next] = [`a${pairs(15)}`, pairs(15)].map((piece) => piece.normalize('NFC'))
  t.equal(normalizeText(`${long}a${pairs(40)}b`, 'NFC'), `${long}${first}${next}${pairs(10).normalize('NFC')}b`)
  // NFKD makes a mark of the first one.
  const sounds = '\uff9e\u0316'.repeat(20)
  t.equal(
    normalizeText(`${long}${sounds}`, 'NFKD'),
    long + [sounds.slice(0, 30), sounds.slice(30)].map((part) => part.normalize('NFKD')).join(''),
  )
  for (const form of ['NFC', 'NFKC', 'NFKD'] as const) {
    const texts = ['é', 'e\u0301', '한국어', 'क्षत्रिय', 'ﷺ', 'ｶﾞ', 'שָׁלוֹם'].map((text) => long + text)
    t.strictSame(
      texts.map((text) => normalizeText(text, form)),
      texts.map((text) => text.normalize(form)),
      form,
    )
  }
})
