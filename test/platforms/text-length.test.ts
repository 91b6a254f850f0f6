import t from 'tap'
import type { TextUnit } from '../../src/platforms/limits.ts'
import { findCashtags, findHashtags, findLinks, findMentions } from '../../src/platforms/rules/entities.ts'
import { isBlank, textLength } from '../../src/platforms/rules/text-length.ts'
import { titleFrom } from '../../src/platforms/rules/title.ts'
import { findUrls } from '../../src/platforms/rules/urls.ts'

const family = '👨‍👩‍👧‍👦'
const kiss = '🧑🏻‍❤️‍💋‍🧑🏿'
const flag = '🇺🇦'
const england = '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'
const handshake = '🫱🏻‍🫲🏿'
const longUrl = `https://example.com/${'a'.repeat(200)}`

/** The length of each text in each unit, counted by hand from the definition of the unit. */
const lengths: [string, Record<TextUnit, number>][] = [
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

t.test('a text is as long as the network says', async (t) => {
  for (const [text, expected] of lengths) {
    const units = Object.keys(expected) as TextUnit[]
    t.same(
      Object.fromEntries(units.map((unit) => [unit, textLength(text, unit)])),
      expected,
      JSON.stringify(text.slice(0, 30)),
    )
  }
})

t.test(
  'X: emoji weigh 2 whether or not the keyboard wrote their variation selectors, and when joined to nothing',
  async (t) => {
    t.equal(textLength('👁‍🗨', 'x'), 2, 'without either selector')
    t.equal(textLength('👁️‍🗨️', 'x'), 2, 'with both')
    t.equal(textLength('1\u20E3', 'x'), 2, 'a keycap without its selector')
    t.equal(textLength('👨\u200D', 'x'), 3, 'a joiner at the end counts')
    t.equal(textLength('👨\u200D👨\u200D👨', 'x'), 8, 'three men are no emoji: each counts, and each joiner')
    t.equal(textLength('👩‍🚀\u200D👩', 'x'), 5, 'an astronaut, a joiner and a woman')
    t.equal(textLength('🧑🏻‍❤‍💋‍🧑🏿', 'x'), 2, 'skin tones, and no selector after the heart')
    t.equal(textLength('🇺', 'x'), 2, 'half a flag')
    t.equal(textLength(`${flag}${flag}a`, 'x'), 5)
  },
)

t.test('X: a code point weighs 1 in the ranges of its configuration, and 2 outside', async (t) => {
  const light = [0, 0x10ff, 0x2000, 0x200d, 0x2010, 0x201f, 0x2032, 0x2037]
  const heavy = [0x1100, 0x200e, 0x200f, 0x2020, 0x2031, 0x2038, 0xffff, 0x10000, 0x10ffff]
  for (const code of light) t.equal(textLength(String.fromCodePoint(code), 'x'), 1, code.toString(16))
  for (const code of heavy) t.equal(textLength(String.fromCodePoint(code), 'x'), 2, code.toString(16))
})

t.test('X: exactly what is turned into a link weighs 23', async (t) => {
  const urls: [string, ...string[]][] = [
    ['https://example.com', 'https://example.com'],
    ['HTTP://EXAMPLE.COM/A', 'HTTP://EXAMPLE.COM/A'],
    ['see example.com.', 'example.com'],
    ['(https://example.com/a_(b)), ok', 'https://example.com/a_(b)'],
    ['https://en.wikipedia.org/wiki/A_(b_(c))!', 'https://en.wikipedia.org/wiki/A_(b_(c))'],
    ['https://example.com/a,((b))', 'https://example.com/a'],
    ['https://example.com/?q=a.b&c=d.', 'https://example.com/?q=a.b&c=d'],
    ['https://example.com:8080/a', 'https://example.com:8080/a'],
    ['example.co.jp/a?b=c', 'example.co.jp/a?b=c'],
    ['example.com?b=c', 'example.com'],
    ['https://example.com?b', 'https://example.com?b'],
    ['https://example.com?', 'https://example.com'],
    ['例え.みんな/a'],
    ['https://例え.みんだ/a'],
    ['日本語example.com日本語', 'example.com'],
    ['詳細はhttps://example.com/詳細', 'https://example.com/'],
    ['https://日本語.jp', 'https://日本語.jp'],
    ['https://例え.みんな/a', 'https://例え.みんな/a'],
    ['http://президент.рф', 'http://президент.рф'],
    ['https://xn--80ahcqqdk.xn--p1ai', 'https://xn--80ahcqqdk.xn--p1ai'],
    ['a.com漢b.com', 'a.com', 'b.com'],
    ['https://sub_domain.example.com', 'https://sub_domain.example.com'],
    ['a.com/b.com c.com', 'a.com/b.com', 'c.com'],
    ['https://t.co/abc123/more', 'https://t.co/abc123'],
    ['http://http://example.com', 'http://example.com'],
    ['t.co', 't.co'],
  ]
  for (const [text, ...expected] of urls) {
    const found = findUrls(text, 'x').map(({ start, end }) => text.slice(start, end))
    t.same(found, expected, text)
  }
})

t.test('X: what only looks like a link weighs what it is', async (t) => {
  const none = [
    'ada@example.com',
    '@example.com',
    '#example.com',
    '$example.com',
    'xhttps://example.com',
    'https://localhost:3000/a',
    'https://127.0.0.1',
    'readme.notatld',
    'example.comma',
    '-example.com',
    '_example.com',
    'https://-example.com-',
    'https://exa_mple.com',
    'https://example..com',
    'https://',
    'http://com',
    '...',
    'e.g.',
    `${'a'.repeat(64)}.com`,
    `https://t.co/${'a'.repeat(41)}`,
  ]
  for (const text of none) {
    t.same(findUrls(text, 'x'), [], text)
    t.equal(textLength(text, 'x'), text.length, text)
  }
})

t.test('Mastodon: only http and https count 23, and a remote mention counts without its domain', async (t) => {
  const expected: [string, number][] = [
    ['example.com', 11],
    ['https://example.com/日本語', 23],
    ['https://example.com/a?q=é.', 24],
    [`a ${longUrl} b`, 27],
    ['@ada@mastodon.social', 4],
    ['hi @ada.b@mastodon.social!', 10],
    ['@ada', 4],
    ['a@b@c.social', 12],
    ['@ada@mastodon.social@more', 25],
    ['https://mastodon.social/@ada@example.com', 23],
    [`@ada@mastodon.social ${family}`, 6],
  ]
  for (const [text, length] of expected) t.equal(textLength(text, 'mastodon'), length, text)
})

t.test('hashtags, mentions, cashtags and links are found where a network would find them', async (t) => {
  t.same(findHashtags('#a b#c #Ünï #日本 #1 #1a #️⃣ &#39; https://example.com/#d #e#f ##g'), [
    '#a',
    '#Ünï',
    '#日本',
    '#1a',
    '#e',
    '#f',
    '#g',
  ])
  t.same(findMentions('@ada, (@bob.b) eve@example.com https://a.com/@joe'), ['@ada', '@bob.b'])
  t.same(findCashtags('$AAPL $BRK.B, $5 US$ x$TSLA $toolong1 ($NOPE)\n$MSFT.'), ['$AAPL', '$BRK.B', '$MSFT'])
  t.same(
    findLinks('https://a.com/1 https://a.com/1 http://a.com/1 b.com https://c.com.'),
    ['https://a.com/1', 'http://a.com/1', 'https://c.com'],
    'each once, and only those with a protocol',
  )
})

t.test('a title is the first line that says something, and never half a character', async (t) => {
  t.equal(titleFrom('\n  \n  First line  \nsecond', 100), 'First line')
  t.equal(titleFrom('😀'.repeat(101), 100), '😀'.repeat(100))
  t.equal(titleFrom('a'.repeat(101), 100), 'a'.repeat(100))
  t.equal(titleFrom(' \n\t', 100), '')
  t.ok(isBlank(' \n\u00A0\u3000'))
  t.notOk(isBlank(' . '))
})

t.test('hostile text is measured in linear time', async (t) => {
  const hostile = [
    'a',
    'http://',
    '@a@',
    '@a@b.c.',
    '.',
    'a.',
    '漢.',
    'com.',
    'a_.com',
    'a.com ',
    'a.com漢',
    'a.co/(',
    'a.co/(a(',
    'a.co?!',
    '👨\u200D',
    '👨🏻\u200D',
    '🏴\u{E0067}',
    '\u0301',
    '🇺',
    '#',
    '#a',
    ' $A',
    'a-',
  ]
  const bytes = 100_000
  for (const seed of hostile) {
    const text = `@a${seed.repeat(bytes / Buffer.byteLength(seed))}`
    const started = performance.now()
    for (const unit of ['x', 'mastodon', 'threads', 'graphemes'] as const) textLength(text, unit)
    for (const find of [findHashtags, findMentions, findCashtags, findLinks]) find(text)
    const took = performance.now() - started
    // 10 to 250 ms here; an expression that starts anew at every character takes a minute.
    t.ok(took < 4000, `${JSON.stringify(seed)} takes ${took.toFixed()} ms`)
  }
})
