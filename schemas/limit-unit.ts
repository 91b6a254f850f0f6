import type { Static } from '@sinclair/typebox'
import { StringEnum } from './shared.ts'

const LIMIT_UNITS = [
  'graphemes',
  'clusters',
  'code points',
  'UTF-16 units',
  'bytes',
  'x',
  'mastodon',
  'threads',
  'files',
  'seconds',
  'pixels',
  'ratio',
  'fps',
  'channels',
  'hertz',
  'items',
] as const

export const LimitUnit = StringEnum(LIMIT_UNITS, {
  $id: 'LimitUnit',
  description:
    'The unit of a limit.\n\n- Of texts: `graphemes` (characters as people see them), `clusters` (the same by Unicode before 15.1, where each consonant of an Indic conjunct counts), `code points` of Unicode, `UTF-16 units` (the `length` of a string in JavaScript), `bytes` of UTF-8; `x`, `mastodon` and `threads` are the weighted counts of these networks. On X, for example, a URL counts as 23 and an emoji as 2.\n- Of files: `files` (their number), `bytes`, `seconds`, `pixels`, `ratio` (width divided by height), `fps` (frames per second), `channels` (of audio), `hertz` (samples of audio per second).\n- `items`: parts of a thread, hashtags, entries of a list, frames.',
  examples: ['graphemes'],
})
export type LimitUnit = Static<typeof LimitUnit>
