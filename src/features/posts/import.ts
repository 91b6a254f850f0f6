import type { Db } from '../../../db/client.ts'
import { findReferences, lockImports } from '../../../db/queries/posts/import.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { CreatePost } from '../../../schemas/create-post.ts'
import type { PostWarning } from '../../../schemas/warning.ts'
import { OperatorError } from '../../base/errors.ts'
import { ALL_RIGHTS } from '../../base/http/rights.ts'
import { createPosts } from './create-many.ts'
import type { PostGap } from './nearby-warnings.ts'
import { isPast, PAST_TIME } from './schedule.ts'

/** A post that names itself, so that it is imported once. */
export type ImportedPost = CreatePost & { externalReference: string }

export type ImportOutcome = Creation | { outcome: 'existing' } | Refusal

interface Creation {
  outcome: 'created'
  status: 'draft' | 'scheduled'
  warnings: PostWarning[]
}

interface Refusal {
  outcome: 'refused'
  reason: string
}

interface Options {
  /** Does the same, and rolls it back. */
  isDryRun: boolean
  gapMs: PostGap
}

/**
 * Stores the posts of one batch whose references no post of the user has yet, each unless it is rejected. A time in the
 * past is refused: the post would be published immediately.
 */
export async function importPosts(
  db: Db,
  userId: string,
  posts: ImportedPost[],
  { isDryRun, gapMs }: Options,
): Promise<ImportOutcome[]> {
  let outcomes: ImportOutcome[] = []
  await inTransaction(db, async (db) => {
    if (!(await lockImports(db, userId))) throw new OperatorError('There is no user with this id')
    const known = await findReferences(
      db,
      userId,
      posts.map(({ externalReference }) => externalReference),
    )
    const isNew = ({ externalReference }: ImportedPost) => !known.has(externalReference)
    const wanted = posts.filter((post) => isNew(post) && !isPast(post))
    const created = wanted.length > 0 ? await store(db, userId, wanted, gapMs) : new Map<CreatePost, ImportOutcome>()
    outcomes = posts.map((post) => (isNew(post) ? (created.get(post) ?? PAST) : { outcome: 'existing' }))
    if (isDryRun) throw new DryRun()
  }).catch((error) => {
    if (!(error instanceof DryRun)) throw error
  })
  return outcomes
}

/** Rolls back the transaction, for which Kysely needs a throw. It never leaves this file. */
class DryRun extends Error {}

const PAST: Refusal = { outcome: 'refused', reason: PAST_TIME }

async function store(
  db: Db,
  userId: string,
  posts: ImportedPost[],
  gapMs: PostGap,
): Promise<Map<CreatePost, ImportOutcome>> {
  const { data, rejected } = await createPosts(db, userId, { mode: 'each', posts }, { rights: ALL_RIGHTS, gapMs })
  return new Map<CreatePost, ImportOutcome>([
    ...data.map(
      ({ index, status, warnings = [] }) =>
        [posts[index]!, { outcome: 'created' as const, status: status as Creation['status'], warnings }] as const,
    ),
    ...rejected.map(({ index, error }) => [posts[index]!, { outcome: 'refused' as const, reason: error }] as const),
  ])
}
