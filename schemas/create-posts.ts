import { type Static, Type } from '@sinclair/typebox'
import { NOT_CONNECTED } from './account.ts'
import { CREATE_POST_EXAMPLES, CreatedPost, CreatePost } from './create-post.ts'
import { POST_ID } from './delivery.ts'
import { Issue } from './error.ts'
import { errorOf } from './errors.ts'
import { Defaulted, Ref, StringEnum } from './shared.ts'
import { CreateOutcome, PostValidation, PostViolation } from './validate-post.ts'

/** The maximum of posts in one request, and of the accounts of all of them. */
export const BATCH = { postsMax: 100, accountsMax: 500 } as const

/** The maximum of entries in each list of one post. */
export const BATCH_LIST_MAX = 20

export const CREATE_POSTS_EXAMPLES = {
  allOrNone: { posts: [CREATE_POST_EXAMPLES.draft, CREATE_POST_EXAMPLES.thread] },
  eachByItself: { mode: 'each', posts: [CREATE_POST_EXAMPLES.draft] },
}

export const CreatePosts = Type.Object(
  {
    mode: Defaulted(
      StringEnum(['all', 'each'], {
        description:
          '`all` stores all posts, or none if one is rejected. `each` stores every post that is not rejected. Default: `all`.',
      }),
      'all',
    ),
    posts: Type.Array(Ref(CreatePost), {
      minItems: 1,
      maxItems: BATCH.postsMax,
      description: `The posts: 1 to ${BATCH.postsMax}, for at most ${BATCH.accountsMax} accounts in all of them together.`,
    }),
  },
  {
    $id: 'CreatePosts',
    additionalProperties: false,
    description: 'Several posts. Unknown keys are rejected.',
    examples: Object.values(CREATE_POSTS_EXAMPLES),
  },
)
export type CreatePosts = Static<typeof CreatePosts>

const index = Type.Integer({ minimum: 0, description: 'The index of the post in `posts`, from 0.' })

const BatchedPost = Type.Object(
  { index, ...CreatedPost.properties },
  {
    $id: 'BatchedPost',
    description: 'A created post. The `path` of a warning leads into this post.',
    examples: [{ index: 0, id: POST_ID, status: 'draft' }],
  },
)

const [violation] = PostViolation.examples

export const RejectedPost = Type.Object(
  {
    index,
    status: Type.Integer({
      description: 'The status with which `createPost` would reject the post: 400, 403 or, with `schedule`, 409.',
    }),
    code: Type.String({ description: 'The `x-error-code` of that response.' }),
    error: Type.String({ description: 'The `error` of that response.' }),
    details: Type.Optional(
      Type.Array(Ref(Issue), {
        maxItems: 20,
        description:
          'The `details` of that response: with `strict=true`, the warnings of a post that has no other mistake. Each `path` leads into this post.',
      }),
    ),
    violations: Type.Array(Ref(PostViolation), {
      description: `The limits that the post breaks, as \`validatePost\` lists them. At most ${BATCH_LIST_MAX}. Each \`path\` leads into this post.`,
    }),
  },
  {
    $id: 'RejectedPost',
    description: 'A post that was not stored.',
    examples: [
      { index: 1, status: 400, code: 'platform_limit', error: violation.message, violations: [violation] },
      {
        index: 0,
        status: 400,
        code: 'warnings_not_allowed',
        error: errorOf('warnings_not_allowed').message,
        details: [{ code: 'custom', path: ['accountIds', 0], message: `x (@ada): ${NOT_CONNECTED.message}` }],
        violations: [],
      },
    ],
  },
)
export type RejectedPost = Static<typeof RejectedPost>

export const CreatedPosts = Type.Object(
  {
    data: Type.Array(Ref(BatchedPost), { description: 'The created posts, in your order.' }),
    rejected: Type.Array(Ref(RejectedPost), { description: 'The others, in your order. Empty with `mode` `all`.' }),
  },
  {
    $id: 'CreatedPosts',
    description: 'The outcome of each post.',
    examples: [
      { data: BatchedPost.examples, rejected: [] },
      { data: BatchedPost.examples, rejected: [RejectedPost.examples[0]] },
    ],
  },
)
export type CreatedPosts = Static<typeof CreatedPosts>

export const RejectedPosts = Type.Object(
  {
    error: Type.String({ description: 'The error in words: the one of the first rejected post.' }),
    details: Type.Optional(
      Type.Array(Ref(Issue), { maxItems: 20, description: 'Up to 20 mistakes in the shape of the request.' }),
    ),
    rejected: Type.Optional(
      Type.Array(Ref(RejectedPost), {
        description: 'Every rejected post, in your order. Absent where the request was rejected as a whole.',
      }),
    ),
  },
  {
    $id: 'RejectedPosts',
    description: 'Why no post was stored.',
    examples: [
      { error: violation.message, rejected: [RejectedPost.examples[0]] },
      { error: errorOf('warnings_not_allowed').message, rejected: [RejectedPost.examples[1]] },
    ],
  },
)
export type RejectedPosts = Static<typeof RejectedPosts>

const ValidatedPost = Type.Object(
  { index, ...PostValidation.properties },
  {
    $id: 'ValidatedPost',
    description: `What \`validatePost\` says about one post. Its lists have at most ${BATCH_LIST_MAX} entries, except for \`targets\`.`,
    examples: [{ index: 0, ...PostValidation.examples[0] }],
  },
)

export const PostValidations = Type.Object(
  {
    create: Ref(CreateOutcome),
    data: Type.Array(Ref(ValidatedPost), {
      description:
        'One entry for each post, in your order. Its `create` is how `createPost` would respond to it alone.',
    }),
  },
  {
    $id: 'PostValidations',
    description: 'How `createPosts` would respond to the same body now, and what is to be said about each post.',
    examples: [{ create: CreateOutcome.examples[0], data: ValidatedPost.examples }],
  },
)
export type PostValidations = Static<typeof PostValidations>
