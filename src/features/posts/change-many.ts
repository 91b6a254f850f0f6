import type { FastifyReply, FastifyRequest } from 'fastify'
import { currentBudget, withDatabaseBudget } from '../../../db/budget.ts'
import type { Db } from '../../../db/client.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import { readClock } from '../../../db/queries/sandbox-clocks.ts'
import { isDatabaseUnavailable } from '../../../db/unavailable.ts'
import {
  CHANGED_POSTS_MAX,
  CHANGES_TIME_MAX_MS,
  type ChangedPost,
  type ChangePosts,
  type DeletedPosts,
  type DeletePosts,
  DRY_RUN_MAX,
  type PostFilters,
  type UnchangedPost,
} from '../../../schemas/change-posts.ts'
import { BATCH_LIST_MAX } from '../../../schemas/create-posts.ts'
import type { ListPostsQuery } from '../../../schemas/find.ts'
import { NO_FILTER, ONE_SELECTION } from '../../../schemas/messages.ts'
import { PAGE } from '../../../schemas/shared.ts'
import type { PostWarning } from '../../../schemas/warning.ts'
import { AppError, fail, invalidRequest } from '../../base/errors.ts'
import { type PublicError, toPublicError } from '../../base/http/errors.ts'
import { type Outcome, partsOf, readIdempotencyKey, withIdempotencyKey } from '../../base/http/idempotency-key.ts'
import { logFailure } from '../../base/http/log-failure.ts'
import { requireScope } from '../../base/http/rights.ts'
import { withPost } from './access.ts'
import { deletePost } from './delete.ts'
import type { PostCondition } from './etag.ts'
import type { Caller } from './filters.ts'
import { readPost } from './get.ts'
import { findFiltered } from './list.ts'
import { readShift } from './schedule.ts'
import { isScheduling, requirePostScope } from './scope.ts'
import { changeWithWarnings, type Updating } from './update.ts'

type Selecting = Pick<ChangePosts, 'ids' | 'filters' | 'versions' | 'dryRun' | 'cursor'>

interface Selected {
  ids: string[]
  nextCursor: string | null
}

/** The time that a request has for its posts. */
interface Turns {
  /** Gives each piece of work the time for the database that a request for one post has. */
  run: <T>(work: () => Promise<T>) => Promise<T>
  isOver: () => boolean
}

function beginTurns(): Turns {
  const budget = currentBudget()
  const endsAt = performance.now() + CHANGES_TIME_MAX_MS
  return {
    run: (work) => withDatabaseBudget(budget && { ...budget }, work),
    isOver: () => performance.now() > endsAt,
  }
}

type ChangeRequest<Body> = FastifyRequest & Caller & { keyId: string; body: Body }

/**
 * Changes several posts one after the other, each once for the `Idempotency-Key` of the request. The selected ids are
 * the stored response: the changes of a repeated request may have moved posts out of its filters.
 */
export async function changePosts(
  context: Updating,
  request: ChangeRequest<ChangePosts> & { query: { strict?: boolean } },
  reply: FastifyReply,
): Promise<Outcome<object>> {
  const { db } = context
  const { userId, keyId, rights, body, query } = request
  const { set = {}, shift, dryRun, allowPast, versions } = body
  const turns = beginTurns()
  requireChange(body)
  requirePostScope(rights, isScheduling(set))
  if (dryRun) {
    // It needs no key, and a malformed one is a mistake all the same.
    readIdempotencyKey(request)
    const result = { ...(await select(db, turns, request, body)), data: [], rejected: [] }
    return { status: 200, body: result, result }
  }
  const identity = query.strict === true ? { ...body, strict: true } : body
  const selection = await withIdempotencyKey<Selected>(db, reply, {
    identities: [identity],
    commit: (transaction) => select(transaction, turns, request, body),
    toResponse: (selected) => ({ status: 200, body: { ...selected, data: [], rejected: [] } }),
  })
  const selected: Selected = selection.result ?? JSON.parse(selection.body as string)
  const parts = partsOf(db, request, identity, selection)
  const { now } = await readClock(db, userId)
  const further = {
    shift: shift === undefined ? undefined : readShift(shift),
    refusesPastAt: allowPast ? undefined : new Date(now),
  }
  const outcomes = await forEachPost(turns, request, selected.ids, (id) =>
    parts.once<ChangedPost>(id, async (commit) => {
      const { post, warnings } = await changeWithWarnings(
        context,
        { userId, keyId, rights, params: { id }, body: set, query },
        {
          ...further,
          ifMatch: conditionOf(versions?.[id]),
          commit: (transaction, row, warnings) => commit(transaction, toChanged(row, warnings)),
        },
      )
      return toChanged(post, warnings)
    }),
  )
  return { ...selection, body: { ...selected, ...outcomes } }
}

const toChanged = (
  { id, status, scheduledAt, updatedAt }: PostWithReadiness,
  warnings: PostWarning[],
): ChangedPost => ({
  id,
  status,
  scheduledAt,
  updatedAt,
  ...(warnings.length > 0 && { warnings: warnings.slice(0, BATCH_LIST_MAX) }),
})

/** Deletes several posts one after the other. */
export async function deletePosts(db: Db, request: ChangeRequest<DeletePosts>): Promise<DeletedPosts> {
  const { userId, keyId, rights, body } = request
  const turns = beginTurns()
  const selected = await select(db, turns, request, body)
  if (body.dryRun) return { ...selected, data: [], rejected: [] }
  const outcomes = await forEachPost(turns, request, selected.ids, async (id) => {
    const ifMatch = conditionOf(body.versions?.[id])
    await withPost(db, { userId, keyId, rights, params: { id } }, (post) => deletePost(db, post, { ifMatch, rights }))
    return { id }
  })
  return { ...selected, ...outcomes }
}

const conditionOf = (version: string | undefined): PostCondition | undefined =>
  version === undefined
    ? undefined
    : ({ updatedAt }) => {
        if (Date.parse(updatedAt) !== Date.parse(version)) throw fail('precondition_failed.versions')
      }

/** Throws 400 for a change that changes nothing, or gives two times. */
function requireChange({ set = {}, shift }: ChangePosts): void {
  if (shift === undefined && Object.keys(set).length === 0) {
    throw invalidRequest([{ code: 'custom', path: ['set'], message: 'Either set or shift must say what changes' }])
  }
  const time = TIMES.find((key) => set[key] !== undefined)
  if (shift === undefined || time === undefined) return
  throw invalidRequest([{ code: 'custom', path: ['set', time], message: 'Must be absent together with shift' }])
}

const TIMES = ['scheduledAt', 'timeZone', 'fold', 'schedule'] as const

/** The posts of a request. In a dry run, these are the posts that exist. */
async function select(
  db: Db,
  turns: Turns,
  caller: Caller & { keyId: string },
  selecting: Selecting,
): Promise<Selected> {
  const { ids, filters, versions, dryRun, cursor } = selecting
  if ((ids === undefined) === (filters === undefined)) throw invalidRequest([ONE_SELECTION])
  const misplaced = (key: string, message: string) => invalidRequest([{ code: 'custom', path: [key], message }])
  if (filters && versions) throw misplaced('versions', 'Must come with ids')
  if (cursor !== undefined && !(filters && dryRun)) throw misplaced('cursor', 'Must come with filters and dryRun')
  if (filters) return findIds(db, turns, caller, filters, selecting)
  const unique = [...new Set(ids)]
  const stray = Object.keys(versions ?? {}).find((id) => !unique.includes(id))
  if (stray !== undefined) throw misplaced('versions', 'Must be about posts in ids alone')
  if (!dryRun) return { ids: unique, nextCursor: null }
  requireScope(caller.rights, 'posts:read')
  const found: string[] = []
  for (const id of unique) if (await turns.run(() => exists(db, caller, id))) found.push(id)
  return { ids: found, nextCursor: null }
}

async function exists(db: Db, { userId, keyId, rights }: Caller & { keyId: string }, id: string): Promise<boolean> {
  try {
    await withPost(db, { userId, keyId, rights, params: { id } }, (post) => readPost(db, post))
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'post_not_found') return false
    throw error
  }
}

/** How many pages of the list one request reads. Each looks at a few hundred posts at most. */
const PAGES_MAX = 400

/** Throws 400 for filters that may select more posts than a request changes. */
async function findIds(
  db: Db,
  turns: Turns,
  caller: Caller,
  filters: PostFilters,
  { dryRun, cursor }: Pick<Selecting, 'dryRun' | 'cursor'>,
): Promise<Selected> {
  requireScope(caller.rights, 'posts:read')
  if (Object.keys(filters).length === 0) throw invalidRequest([NO_FILTER])
  const max = dryRun ? DRY_RUN_MAX : CHANGED_POSTS_MAX + 1
  const ids: string[] = []
  let next: string | null | undefined = cursor
  for (let page = 0; next !== null && ids.length < max && page < PAGES_MAX && !turns.isOver(); page++) {
    const limit = Math.min(PAGE.limitMax, max - ids.length)
    const query: ListPostsQuery = { ...filters, ...(next && { cursor: next }), limit, offset: 0, order: 'asc' }
    const found = await turns.run(() => findFiltered(db, caller, query))
    ids.push(...found.data.map(({ id }) => id))
    next = found.nextCursor
  }
  const nextCursor = next ?? null
  if (!dryRun && (nextCursor !== null || ids.length > CHANGED_POSTS_MAX)) {
    throw fail('too_many_posts', CHANGED_POSTS_MAX)
  }
  return { ids, nextCursor }
}

/**
 * Makes a change to one post after the other. Throws an unexpected failure, and that of the database, if nothing has
 * changed before: the whole request may then be repeated.
 */
async function forEachPost<T>(
  turns: Turns,
  request: FastifyRequest,
  ids: readonly string[],
  change: (id: string) => Promise<T>,
): Promise<{ data: T[]; rejected: UnchangedPost[] }> {
  const data: T[] = []
  const rejected: UnchangedPost[] = []
  let hasFailed = false
  for (const id of ids) {
    if (hasFailed || turns.isOver()) {
      rejected.push(toUnchanged(id, fail('post_not_reached')))
      continue
    }
    try {
      data.push(await turns.run(() => change(id)))
    } catch (error) {
      const known = toPublicError(error, request)
      hasFailed = !known || known.statusCode >= 500
      if (hasFailed && data.length === 0 && (!known || isDatabaseUnavailable(error))) throw error
      if (hasFailed) logFailure(request, error, known?.code)
      rejected.push(toUnchanged(id, known ?? fail('internal_error')))
    }
  }
  return { data, rejected }
}

const toUnchanged = (id: string, { statusCode, code, message, details }: PublicError): UnchangedPost => ({
  id,
  status: statusCode,
  code,
  error: message,
  ...(details && { details }),
})
