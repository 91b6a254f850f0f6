import type { Static } from '@sinclair/typebox'
import { StringEnum } from './shared.ts'

/** The networks an account can be on, in the order in which documentation lists them. The sandbox is ours, for tests. */
export const PLATFORM_IDS = [
  'instagram',
  'facebook',
  'threads',
  'x',
  'linkedin',
  'tiktok',
  'youtube',
  'pinterest',
  'bluesky',
  'mastodon',
  'telegram',
  'reddit',
  'google_business',
  'discord',
  'sandbox',
] as const

/** The kinds of post. Each network carries some of them: see the limits of each in `src/platforms`. */
export const POST_TYPES = ['post', 'carousel', 'reel', 'story', 'short', 'video', 'thread'] as const

export const PlatformId = StringEnum(PLATFORM_IDS, {
  $id: 'PlatformId',
  description:
    'The social network that an account belongs to. `sandbox` is none: it keeps what it is sent, for `listSandboxCalls`.',
  examples: ['bluesky'],
})
export type PlatformId = Static<typeof PlatformId>

export const PostType = StringEnum(POST_TYPES, {
  $id: 'PostType',
  description:
    'The kind of post. `post` is text, media or both; `carousel` is several files to leaf through; `reel` and `short` are short upright videos; `story` is a file that is shown for a day; `video` is a single video; `thread` is a chain of posts. Every network carries some of them: the others are refused, with a message that names those it has.',
  examples: ['post'],
})
export type PostType = Static<typeof PostType>
