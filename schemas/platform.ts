import type { Static } from '@sinclair/typebox'
import { PLATFORM_IDS } from './platform-ids.ts'
import { StringEnum } from './shared.ts'

/** Each network supports some of them: see `limits.ts` of each network. */
export const POST_TYPES = ['post', 'carousel', 'reel', 'story', 'short', 'video', 'thread'] as const

export const PlatformId = StringEnum(PLATFORM_IDS, {
  $id: 'PlatformId',
  description:
    'The social network of an account. `sandbox` is a network for tests, which is part of this service: see `listSandboxCalls`.',
  examples: ['bluesky'],
})
export type PlatformId = Static<typeof PlatformId>

export const PostType = StringEnum(POST_TYPES, {
  $id: 'PostType',
  description:
    'The type of post. In a request it is optional. Default: `post`.\n\n- `post`: text, media or both.\n- `carousel`: several files to swipe through.\n- `reel`, `short`: a short vertical video.\n- `story`: a file that is shown for a day.\n- `video`: a single video.\n- `thread`: a chain of posts.\n\nEach network supports some of these types. Another type is rejected with a message that names the supported ones.',
  examples: ['post'],
})
export type PostType = Static<typeof PostType>
