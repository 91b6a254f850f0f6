import t from 'tap'
import { findNearest } from '../../src/base/http/nearest.ts'

const KNOWN = ['visibility', 'sensitive', 'spoilerText', 'language', 'altText', 'title', 'tts']

t.test('the nearest known name is found for each kind of mistake', async (t) => {
  for (const [name, expected] of [
    ['visiblity', 'visibility'],
    ['visibilityy', 'visibility'],
    ['visibilitz', 'visibility'],
    ['tilte', 'title'],
    ['alttext', 'altText'],
    ['alt_text', 'altText'],
    ['SENSITIVE', 'sensitive'],
    ['ttts', 'tts'],
  ] as const) {
    t.equal(findNearest(name, KNOWN), expected, name)
  }
})

t.test('a name that resembles none has no suggestion', async (t) => {
  for (const name of ['', 'x', 'subreddit', 'boardId', 'visibility'.repeat(10_000)]) {
    t.equal(findNearest(name, KNOWN), undefined, name.slice(0, 20))
  }
  t.equal(findNearest('a', []), undefined)
})
