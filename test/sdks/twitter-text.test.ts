import { createRequire } from 'node:module'
import fc from 'fast-check'
import t from 'tap'
import { countLength } from '../../src/platforms/rules/text-length.ts'
import { findUrls } from '../../src/platforms/rules/urls.ts'
import { hold } from '../faults/fuzz/seed.ts'

interface TwitterText {
  parseTweet(text: string): { weightedLength: number }
  extractUrlsWithIndices(text: string): { url: string; indices: [number, number] }[]
}
const twitterText = createRequire(import.meta.url)('./node_modules/twitter-text') as TwitterText

// The tables of twitter-text end in 2019: no newer emoji and no newer domain can be made of these.
const pieces = [
  ...['a', 'É', 'e\u0301', 'ß', 'д', '漢', 'か', '한', '1', '.', '.', '-', '_', ',', ' ', '\n'],
  ...['@', '#', '$', '/', '?'],
  ...['=', '(', ')', ':', '&', '!', '“', '…', '\u200B', '\u200E', '\u2066', '\u3000', '\uFF20', '\uFEFF', '\u{10FFFF}'],
  ...['com', '.com', '.fr', '.co.jp', '.xn--p1ai', '.рф', 'https://', 'HTTP://', 'example.com', 'https://t.co/a'],
  ...['/é_(a)', '😀', '🌍', '⚡', '☀', '©', '☝', '🏋', '🏃', '👩', '👨', '👧', '💻', '🏴', '👁', '🗨', '♀', '♂', '⚕'],
  ...['🇺', '🇦', '7', '\u{1F3FD}', '\u{1F3FB}', '\uFE0F', '\uFE0F', '\uFE0E', '\u200D', '\u20E3', '\u{E0067}'],
  ...['\u{E007F}', '👁\u200D🗨', '👩\u200D👩\u200D👧', '\u200D♀\uFE0F', '\uFE0F\u20E3', '\uFE0F\u{1F3FD}'],
]
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 12, size: 'max' }).map((parts) => parts.join(''))

t.test('X: a text has the length and the number of links that twitter-text finds', async (t) => {
  const counted = fc.asyncProperty(texts, async (text) => {
    const links = twitterText.extractUrlsWithIndices(text.normalize('NFC'))
    // It counts part of a link twice where a name in another script follows its domain.
    fc.pre(links.every(({ url, indices: [start, end] }) => url.length === end - start))
    // Joiners and variation selectors, which no registered name has, count in its length of a label.
    fc.pre(text.split('.').every((label) => label.length < 24))
    const ours = [countLength(text, 'x'), findUrls(text.normalize('NFC'), 'x').length]
    return ours.join() === [twitterText.parseTweet(text).weightedLength, links.length].join()
  })
  await t.resolves(hold(counted, { numRuns: 20_000 }))
})
