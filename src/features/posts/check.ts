import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { findListedMedia, listOf } from '../../../db/queries/listed-media.ts'
import type { SentRendition } from '../../../db/queries/posts/sent-renditions.ts'
import { readPostSubjects, type SubjectAccount } from '../../../db/queries/posts/subjects.ts'
import { POST_ACCOUNTS_MAX } from '../../../schemas/create-post.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { MediaFacts } from '../../../schemas/media.ts'
import { type AppError, fail, invalidRequest } from '../../base/errors.ts'
import { inPieces } from '../../base/http/pieces.ts'
import { ALL_RIGHTS, isListed } from '../../base/http/rights.ts'
import { listMediaIds, type PostToCheck } from '../../platforms/rules/context.ts'
import { createTextCache, type TextCache } from '../../platforms/rules/text-cache.ts'
import type { Violation } from '../../platforms/rules/violation.ts'
import { type CheckOptions, checkInPieces } from '../../platforms/violations.ts'
import type { Usable } from './access.ts'
import { type PostToComplete, requireSmallDefaults, withDefaultFields } from './default-fields.ts'
import { type FitOptions, fitPosts } from './fit.ts'

export type CheckedAccount = SubjectAccount

type PostToInspect = PostToCheck & PostToComplete & { accountIds: readonly string[] }

/** The subjects of a post, and all its problems. */
export interface Inspection<P extends PostToInspect = PostToInspect> {
  /** The post, with the default fields of its new accounts, and how its files fit. */
  post: P
  /** The accounts that the user may use, in the order of the ids. */
  accounts: CheckedAccount[]
  /** The files of the user, each once, in the order of the ids. */
  media: MediaFacts[]
  violations: Violation[]
  /** The renditions that are sent in place of files that break a limit. */
  renditions: SentRendition[]
  /** The ids that the user may not use, each once. */
  inaccessible: { accountIds: string[]; mediaIds: string[] }
}

/**
 * Finds every limit that each post breaks, and the ids that the user may not use, with one statement. Limits are
 * checked only for accounts and media that the user may use, so that no response reveals anything about others.
 * Accounts and media that `usable` leaves out count as those of others. `texts` are measured once for all posts. A
 * transaction is not kept waiting between pieces of the work: measure long texts before it. Throws `RenditionsMissing`,
 * unless renditions are only planned.
 */
export async function inspectPosts<P extends PostToInspect>(
  db: Db,
  userId: string,
  posts: { post: P; addCount?: CheckOptions['addCount'] }[],
  usable: Usable = ALL_RIGHTS,
  texts: TextCache = createTextCache(),
  { isPlan = false }: FitOptions = {},
): Promise<Inspection<P>[]> {
  const accountIds = new Set(posts.flatMap(({ post }) => post.accountIds))
  const mediaIds = new Set(posts.flatMap(({ post }) => listMediaIds(post)))
  const [subjects] = await readPostSubjects(db, {
    userId,
    accountIds: [...accountIds].filter((id) => isId(id) && isListed(usable, id)),
    mediaIds: await selectUsableFiles(db, userId, [...mediaIds].filter(isId), usable),
  })
  const known = { accounts: byId(subjects!.accounts), media: byId(subjects!.media) }
  requireSmallDefaults(posts.flatMap(({ post }) => selectInOrder(post.accountIds, known.accounts)))
  const found = posts.map(({ post }) => {
    const accounts = selectInOrder(post.accountIds, known.accounts)
    if (accounts.length > POST_ACCOUNTS_MAX) throw invalidRequest([tooManyAccounts(accounts.length)])
    const files = post.deletedFiles ? new Map([...known.media, ...byId(post.deletedFiles)]) : known.media
    const media = selectInOrder([...new Set(listMediaIds(post))], files)
    return { post: withDefaultFields(post, accounts), accounts, media }
  })
  const fitted = await fitPosts(db, userId, found, { isPlan })
  const inspections: Inspection<P>[] = []
  for (const [index, { accounts, media }] of found.entries()) {
    const { post, renditions } = fitted[index]!
    const check = [post, accounts, media, { texts, addCount: posts[index]!.addCount }] as const
    inspections.push({
      post,
      accounts,
      media,
      renditions,
      violations: await inPieces(checkInPieces(...check), { canPause: !db.isTransaction }),
      inaccessible: {
        accountIds: findMissing([...new Set(post.accountIds)], known.accounts),
        mediaIds: findMissing([...new Set(listMediaIds(post))], byId(media)),
      },
    })
  }
  return inspections
}

async function selectUsableFiles(db: Db, userId: string, ids: string[], { accountIds, mediaIds }: Usable) {
  if (mediaIds) return ids.filter((id) => mediaIds.includes(id))
  if (!accountIds || ids.length === 0) return ids
  return (await findListedMedia(db, { userId, ids, ...listOf(accountIds) })).map(({ id }) => id)
}

/**
 * The error of a post that cannot be stored: 400 for the first limit that it breaks, or else 403 for missing access.
 */
export function findRejection({ violations: [violation], inaccessible }: Inspection): AppError | undefined {
  if (violation) return fail('platform_limit', violation.message)
  const parts = Object.entries(inaccessible)
    .filter(([, ids]) => ids.length > 0)
    .map(([name, ids]) => {
      const named = ids.slice(0, NAMED_MAX).map(shortenId)
      const rest = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : ''
      return `${name}: ${named.join(', ')}${rest}`
    })
  if (parts.length === 0) return undefined
  return fail('no_access.several', parts.join('; '))
}

/** Checks a post, and returns its accounts and files. Throws the error of a post that cannot be stored. */
export async function checkPost<P extends PostToInspect>(
  db: Db,
  userId: string,
  post: P,
  usable?: Usable,
  texts?: TextCache,
): Promise<Pick<Inspection<P>, 'post' | 'accounts' | 'media' | 'renditions'>> {
  const [inspection] = await inspectPosts(db, userId, [{ post }], usable, texts)
  const rejection = findRejection(inspection!)
  if (rejection) throw rejection
  return inspection!
}

const tooManyAccounts = (count: number): Issue => ({
  code: 'custom',
  path: ['accountIds'],
  message: `The post has ${count} accounts: at most ${POST_ACCOUNTS_MAX} are allowed`,
})

const byId = <T extends { id: string }>(items: readonly T[]) => new Map(items.map((item) => [item.id, item]))

/** The known items with these ids, in the order of the ids. */
const selectInOrder = <T>(ids: readonly string[], known: Map<string, T>): T[] =>
  ids.flatMap((id) => known.get(id) ?? [])

const findMissing = (ids: readonly string[], known: Map<string, unknown>): string[] =>
  ids.filter((id) => !known.has(id))

/** Limits the ids in a message, and the length of each. */
const NAMED_MAX = 20
const ID_LENGTH_MAX = 64

export const shortenId = (id: string) => id.slice(0, ID_LENGTH_MAX).toWellFormed()
