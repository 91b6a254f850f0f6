import { type Static, Type } from '@sinclair/typebox'
import { CreatedPost } from './create-post.ts'
import { KEY_FORM } from './idempotency.ts'
import { PostType } from './platform.ts'
import { Platform } from './platform-detail.ts'
import { Ref } from './shared.ts'
import { PostValidation } from './validate-post.ts'

/*
 * Parameters and results of tools beside those of their operations. All else comes from the schemas of the operations.
 */

export const Confirm = (description: string) => Type.Optional(Type.Boolean({ description }))

export const IdempotencyKey = Type.Optional(
  Type.String({
    pattern: KEY_FORM,
    description:
      'A name that you choose for this post: 1 to 255 visible ASCII characters. Calls with the same name within 24 hours create one post. Default: derived from the arguments and the day in UTC, so that the same call creates one post a day.',
  }),
)

/** Characters. The message of a call has at most 1 MiB, and other arguments. */
const BASE64_MAX = 1_000_000

export const Base64File = Type.String({
  minLength: 1,
  maxLength: BASE64_MAX,
  contentEncoding: 'base64',
  description: `The bytes of the file in base64, with padding, at most ${BASE64_MAX} characters: 750 kB. The type is detected from the content.`,
})

export const FileName = Type.Optional(
  Type.String({ maxLength: 255, description: 'The name of the file. Default: one that is made from its type.' }),
)

export const DraftedPost = Type.Object({
  ...CreatedPost.properties,
  replayed: Type.Boolean({
    description: 'Whether an earlier call has created the post. It may have been changed or deleted since.',
  }),
  validation: Type.Optional(Ref(PostValidation)),
})
export type DraftedPost = Static<typeof DraftedPost>

const PlatformSummary = Type.Object({
  ...Type.Pick(Platform, ['id', 'name', 'publishes', 'canEdit', 'canDelete']).properties,
  postTypes: Type.Array(Ref(PostType), { description: 'The types of posts that the network supports.' }),
})

/** All networks in full are 170 kB, more than an agent can read. */
export const PlatformSummaries = Type.Object({ data: Type.Array(PlatformSummary, { description: 'All networks.' }) })
export type PlatformSummaries = Static<typeof PlatformSummaries>
