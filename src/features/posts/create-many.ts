import type { Db } from '../../../db/client.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { insertPosts, type NewPost } from '../../../db/queries/posts/insert.ts'
import { moveToSlots } from '../../../db/queries/queue.ts'
import { Conflict, inTransaction } from '../../../db/transaction.ts'
import { CreatePost } from '../../../schemas/create-post.ts'
import {
  BATCH,
  BATCH_LIST_MAX,
  type CreatedPosts,
  type CreatePosts,
  type PostValidations,
  type RejectedPost,
} from '../../../schemas/create-posts.ts'
import type { Issue } from '../../../schemas/error.ts'
import { defaultOf } from '../../../schemas/shared.ts'
import { AppError, invalidRequest } from '../../base/errors.ts'
import type { Post } from '../../platforms/contract/post.ts'
import { createTextCache, type TextCache } from '../../platforms/rules/text-cache.ts'
import type { Violation } from '../../platforms/rules/violation.ts'
import { readBody } from './body.ts'
import { checkPosts } from './check.ts'
import { nameInRequest, type PostGap, readNearbyWarnings } from './nearby-warnings.ts'
import { type PreparedPost, preparePosts } from './prepare.ts'
import { toCreated } from './respond.ts'
import { findMissingScope, isScheduling } from './scope.ts'
import { type ValidationContext, validateAll } from './validate.ts'
import { toRow } from './write.ts'

interface Context {
  rights: KeyRights
  /** Whether a post with warnings is rejected. */
  isStrict?: boolean
  gapMs: PostGap
  /** The key whose budget pays for the posts. Absent for the operator. */
  keyId?: string
}

/** The error of a batch of which nothing is stored: that of its first rejected post. */
export class RejectedBatch extends AppError {
  readonly rejected: RejectedPost[]

  constructor(first: AppError, rejected: RejectedPost[]) {
    super(first)
    this.rejected = rejected
  }
}

/** The body with the defaults of each post, which the validator sets in the body of a single post alone. */
export const withDefaults = ({ mode, posts }: CreatePosts): CreatePosts => ({
  mode,
  posts: posts.map((post) => {
    const missing = Object.entries(DEFAULTS).filter(([key]) => post[key as keyof CreatePost] === undefined)
    return { ...post, ...structuredClone(Object.fromEntries(missing)) }
  }),
})

const DEFAULTS = Object.fromEntries(
  Object.entries(CreatePost.properties)
    .map(([key, property]) => [key, defaultOf(property)] as const)
    .filter(([, value]) => value !== undefined),
)

/**
 * Stores several posts in one transaction: with the mode `all` every one or none, with `each` those that are not
 * rejected. Two statements check and write all of them. `texts` may have been measured before. Throws 400 with details
 * for the shape of a post, and `RejectedBatch`.
 */
export async function createPosts(
  db: Db,
  userId: string,
  { mode, posts: bodies }: CreatePosts,
  { rights, isStrict = false, gapMs, keyId }: Context,
  texts: TextCache = createTextCache(),
): Promise<CreatedPosts> {
  const posts = readBodies(bodies)
  return inTransaction(db, async (db) => {
    const { prepared, moves } = await preparePosts(db, userId, posts, { rights, isStrict, texts })
    const rejected = prepared.flatMap(({ violations, rejection }, index) =>
      rejection ? [toRejected(index, violations, rejection)] : [],
    )
    const first = prepared.find(({ rejection }) => rejection)?.rejection
    if (first && mode === 'all') throw new RejectedBatch(first, rejected)
    const accepted = prepared.flatMap((each, index) =>
      each.rejection ? [] : [{ ...each, index, row: toRow(each.post, { userId, keyId }, texts) }],
    )
    const placed = accepted.map(({ index, post, row: { id } }) => ({
      id,
      userId,
      post,
      name: nameInRequest(post, index),
    }))
    const nearby = await readNearbyWarnings(db, placed, { gapMs, texts, moves })
    const rows = accepted.map(({ row }) => row)
    const insertions = rows.length > 0 ? await insertPosts(db, rows) : []
    if (insertions.filter(({ outcome }) => outcome === 'written').length < rows.length) {
      throw new Conflict('An account has changed since the posts were checked')
    }
    await moveToSlots(db, moves)
    const data = accepted.map((each, at) => toBatched({ ...each, warnings: [...each.warnings, ...nearby[at]!] }))
    return { data, rejected }
  })
}

/** Measures the texts of a batch before its transaction, during which nothing may take long. */
export async function measureTexts(
  db: Db,
  userId: string,
  { posts }: CreatePosts,
  rights: KeyRights,
): Promise<TextCache> {
  const texts = createTextCache()
  await checkPosts(db, userId, readBodies(posts), { usable: rights, texts })
  return texts
}

const toBatched = ({ index, post, row, warnings, slots }: PreparedPost & { index: number; row: NewPost }) => ({
  index,
  ...toCreated(row.id, post, warnings.slice(0, BATCH_LIST_MAX), slots),
})

const toRejected = (index: number, violations: Violation[], rejection: AppError): RejectedPost => ({
  index,
  status: rejection.statusCode,
  code: rejection.code,
  error: rejection.message,
  ...(rejection.details && { details: rejection.details }),
  violations: violations.slice(0, BATCH_LIST_MAX).map((violation) => ({ ...violation, blocks: 'create' })),
})

/** The result that `createPosts` would have, with all messages about each post. */
export async function validatePosts(
  db: Db,
  userId: string,
  { mode, posts: bodies }: CreatePosts,
  context: ValidationContext,
): Promise<PostValidations> {
  const posts = readBodies(bodies)
  const data = await validateAll(db, userId, posts, { ...context, listMax: BATCH_LIST_MAX })
  const missing = findMissingScope(context.rights, bodies.some(isScheduling))
  const rejection = data.find(({ create }) => create.status !== 201)?.create
  const stored = { status: mode === 'all' ? 201 : 200, error: null }
  return {
    create: missing
      ? { status: missing.statusCode, error: missing.message }
      : ((mode === 'all' ? rejection : undefined) ?? stored),
    data: data.map((validation, index) => ({ index, ...validation })),
  }
}

/** Reads each post. Throws 400 with the mistakes in all of them, and for more accounts than a batch may have. */
function readBodies(bodies: CreatePost[]): Post[] {
  const issues: Issue[] = []
  const posts: Post[] = []
  for (const [index, body] of bodies.entries()) {
    const read = readBody(body)
    if ('issues' in read)
      issues.push(...read.issues.map((issue) => ({ ...issue, path: ['posts', index, ...issue.path] })))
    else posts.push(read)
  }
  if (issues.length > 0) throw invalidRequest(issues)
  const count = posts.reduce((sum, { targets }) => sum + targets.length, 0)
  if (count > BATCH.accountsMax) {
    const message = `All posts together have ${count} accounts: at most ${BATCH.accountsMax} are allowed`
    throw invalidRequest([{ code: 'custom', path: ['posts'], message }])
  }
  return posts
}
