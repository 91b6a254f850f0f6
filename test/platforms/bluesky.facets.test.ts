import { AppBskyRichtextFacet, RichText } from '@atproto/api'
import t from 'tap'
import { detectFacets, findBlueskyEntities, isMention } from '../../src/platforms/bluesky/facets.ts'
import { integers, pick } from '../faults/bodies/random.ts'
import { SEED } from '../faults/fuzz/seed.ts'
import { stepCounter } from '../helpers/count-steps.ts'
import { collectProblems } from '../helpers/problems.ts'

// Created before the first call of the code that it counts.
const countSteps = stepCounter('')

/** The facets that the library detects and the network accepts. */
function detectByLibrary(text: string): AppBskyRichtextFacet.Main[] {
  const richText = new RichText({ text })
  richText.detectFacetsWithoutResolution()
  const isAccepted = (facet: AppBskyRichtextFacet.Main) =>
    isMention(facet.features[0]) || AppBskyRichtextFacet.validateMain(facet).success
  return (richText.facets ?? []).filter(isAccepted)
}

const TEXTS = [
  'Hello @ada.example.com, (@bob.test) @nobody @com @.com @a..com @a.com. @A.COM @x.notatld',
  'see example.com. (https://a.com/(b)) a.com/b) http://a.com/a?b=c! HTTPS://A.com https:///a httpd.conf a.b com.com',
  '#a #1 #1a #️⃣ #a!!! #a!b! ##b ＃c #é漢🌊 (#d #e\u200Bf #e\u00ADf #-x-\n#end',
  `#${'a'.repeat(64)} #${'a'.repeat(65)} #${'👨‍👩‍👧‍👦'.repeat(64)} #${'é'.repeat(64)}.`,
  '$AAPL ($brk), $TOOLONG $A. US$ $1 $ab\u2019s\n$MSFT',
  '🌊 é 漢 @ada.example.com 🌊 #a 🌊 a.com 🌊 $A',
  '\u2028example.com\u2028#a\uFEFF@a.com \u00A0$A',
]

/** Random texts of these have many facets, and words that are almost some. */
const PIECES = [
  ...['@', '#', '＃', '$', '.', '!', '(', ')', '/', ':', '-', '_', '?', "'", ' ', ' ', ' ', '\n', '\u00A0', '\u200B'],
  ...['a', 'b', 'A', '1', 'é', '漢', '🌊', '👨‍👩‍👧‍👦', '\uFE0F', '.com', '.test', '.みんな'],
  ...['xn--', 'https://', 'http', 'com'],
]

t.test('facets are those that the library of Bluesky detects', async (t) => {
  t.comment(`SEED=${SEED}`)
  const next = integers(SEED)
  const random = () => Array.from({ length: 1 + next(40) }, () => pick(next, PIECES)).join('')
  const { problems, check } = collectProblems()
  for (const text of [...TEXTS, ...Array.from({ length: 2_000 }, random)]) {
    check(detectFacets(text), detectByLibrary(text), JSON.stringify(text))
  }
  t.strictSame(problems, [])
})

t.test('the places of entities are in UTF-16 units', async (t) => {
  const text = '🌊 @ada.example.com 漢 #a, a.com $A'
  const found = findBlueskyEntities(text).map(({ type, start, end }) => [type, text.slice(start, end)])
  t.strictSame(found, [
    ['mention', '@ada.example.com'],
    ['hashtag', '#a'],
    ['link', 'a.com'],
    ['cashtag', '$A'],
  ])
})

t.test('the entities of a text of the maximal length take few steps for each character', async (t) => {
  const { problems, check } = collectProblems()
  for (const piece of ['@a ', 'a.a ', '@a.a ', 'a.com ', '@a.com ', '#a ', '#a!', ' $A', '!', '(a.a']) {
    const text = `#a${piece.repeat(2_900 / piece.length)}a`
    const steps = countSteps(() => findBlueskyEntities(text)) / text.length
    check(steps < 100, true, `${JSON.stringify(piece)}: ${steps.toFixed(1)} steps for each character, at most 100`)
  }
  t.strictSame(problems, [])
})
