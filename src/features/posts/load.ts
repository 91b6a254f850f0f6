import { LRUCache } from 'lru-cache'
import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { findListedMedia, listOf } from '../../../db/queries/listed-media.ts'
import type { SentRendition } from '../../../db/queries/posts/sent-renditions.ts'
import { readPostSubjects, type SubjectAccount } from '../../../db/queries/posts/subjects.ts'
import { DEFAULT_FIELDS_BYTES_MAX } from '../../../schemas/account.ts'
import { POST_ACCOUNTS_MAX } from '../../../schemas/create-post.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { MediaFacts } from '../../../schemas/media.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { ALL_RIGHTS, isListed } from '../../base/http/rights.ts'
import type { Post, Target } from '../../platforms/contract/post.ts'
import { loadTarget } from '../../platforms/load-target.ts'
import type { LoadedTarget } from '../../platforms/rules/context.ts'
import { createFileReader, listMediaIds } from '../../platforms/rules/files.ts'
import { findViolations } from '../../platforms/violations.ts'
import type { Usable } from './access.ts'

/** A target with its account, and the renditions that it gets in place of files. */
export interface AccountTarget extends LoadedTarget {
  account: SubjectAccount
  /** Whether the suffix of the account was left out, because the network takes no such long text. */
  isSuffixOmitted?: boolean
  renditions: readonly SentRendition[]
}

/** A post with its accounts and files. Its targets are the accounts that the user may use. */
export interface LoadedPost extends Post<AccountTarget> {
  /** The files of the user, each once, in the order of the ids. */
  media: readonly MediaFacts[]
  /** The ids that the user may not use, each once. */
  inaccessible: { accountIds: string[]; mediaIds: string[] }
}

/**
 * Cache of accounts that passed the checks, by id. The network of an account and its id there never change. The limits,
 * the defaults and the readiness of an account may change: then `insertPost` writes nothing.
 */
export type KnownAccounts = LRUCache<string, SubjectAccount>

export const createKnownAccounts = (): KnownAccounts => new LRUCache({ max: 10_000 })

/** A post without files whose accounts are all known; undefined for any other. */
export function loadKnown(post: Post, known: KnownAccounts | undefined): LoadedPost | undefined {
  if (!known || post.targets.length > POST_ACCOUNTS_MAX || listMediaIds(post).length > 0) return undefined
  const loaded = load(post, known, new Map())
  if (loaded.targets.length < post.targets.length) return undefined
  requireSmallDefaults(loaded.targets)
  return loaded
}

/**
 * Reads the accounts and files of posts with one statement. Those that `usable` leaves out count as those of others, of
 * which no response reveals anything.
 */
export async function loadPosts(
  db: Db,
  userId: string,
  posts: readonly Post[],
  usable: Usable = ALL_RIGHTS,
): Promise<LoadedPost[]> {
  const accountIds = new Set(posts.flatMap(({ targets }) => targets.map(({ accountId }) => accountId)))
  const mediaIds = new Set(posts.flatMap(listMediaIds))
  const [subjects] = await readPostSubjects(db, {
    userId,
    accountIds: [...accountIds].filter((id) => isId(id) && isListed(usable, id)),
    mediaIds: await selectUsableFiles(db, userId, [...mediaIds].filter(isId), usable),
  })
  const accounts = byId(subjects!.accounts)
  const files = byId(subjects!.media)
  const loaded = posts.map((post) => load(post, accounts, withFiles(files, post.deletedFiles)))
  requireSmallDefaults(loaded.flatMap(({ targets }) => targets))
  for (const { targets } of loaded) {
    if (targets.length > POST_ACCOUNTS_MAX) throw invalidRequest([tooManyAccounts(targets.length)])
  }
  return loaded
}

async function selectUsableFiles(db: Db, userId: string, ids: string[], { accountIds, mediaIds }: Usable) {
  if (mediaIds) return ids.filter((id) => mediaIds.includes(id))
  if (!accountIds || ids.length === 0) return ids
  return (await findListedMedia(db, { userId, ids, ...listOf(accountIds) })).map(({ id }) => id)
}

const byId = <T extends { id: string }>(items: readonly T[]) => new Map(items.map((item) => [item.id, item]))

const withFiles = (files: ReadonlyMap<string, MediaFacts>, more: readonly MediaFacts[] | undefined) =>
  more ? new Map([...files, ...byId(more)]) : files

function load(
  post: Post,
  accounts: { get(id: string): SubjectAccount | undefined },
  files: ReadonlyMap<string, MediaFacts>,
): LoadedPost {
  const mediaIds = [...new Set(listMediaIds(post))]
  const media = mediaIds.flatMap((id) => files.get(id) ?? [])
  const readFiles = createFileReader(post, media)
  const targets: AccountTarget[] = []
  const unknownIds: string[] = []
  for (const target of post.targets) {
    const account = accounts.get(target.accountId)
    if (account) {
      const completed = withSuffix(withDefaults(target, account), account)
      const loaded = { ...loadTarget(post, completed, account, readFiles(target)), renditions: [] }
      targets.push(isOptional(loaded) ? omitLongSuffix(post, loaded) : loaded)
    } else unknownIds.push(target.accountId)
  }
  const inaccessible = { accountIds: unknownIds, mediaIds: mediaIds.filter((id) => !files.has(id)) }
  return { ...post, targets, media, inaccessible }
}

/** A new target with the default fields of its account under its own. A field that is null leaves the default out. */
function withDefaults(target: Target, { defaultFields }: SubjectAccount): Target & Pick<AccountTarget, 'defaultKeys'> {
  if (!target.isNew || !defaultFields) return target
  const own = target.fields ?? {}
  const defaults = Object.entries(defaultFields).filter(([key]) => !Object.hasOwn(own, key))
  const kept = Object.entries(own).filter(([key, value]) => value !== null || !Object.hasOwn(defaultFields, key))
  const fields = Object.fromEntries([...defaults, ...kept])
  return { ...target, fields, defaultKeys: new Set(defaults.map(([key]) => key)) }
}

/** A new target with the suffix of its account, unless it has its own. */
function withSuffix(target: ReturnType<typeof withDefaults>, { captionSuffix }: SubjectAccount) {
  if (!target.isNew || (target.captionSuffix === null && !captionSuffix)) return target
  return { ...target, captionSuffix: (target.captionSuffix ?? captionSuffix!.text) || null }
}

/** Whether a target has a suffix that may be left out: that of its account, before the target is published. */
const isOptional = ({ captionSuffix, account }: AccountTarget) =>
  captionSuffix !== null &&
  account.captionSuffix?.whenTooLong === 'omit' &&
  account.captionSuffix.text === captionSuffix

/** The target without its suffix, if only that makes its texts break limits. */
function omitLongSuffix(post: Post, target: AccountTarget): AccountTarget {
  if (post.deletedFiles) return target
  const rulesOf = (target: AccountTarget) =>
    new Set(findViolations({ ...post, targets: [target] }).map(({ rule }) => rule))
  const without = loadTarget(post, { ...target, captionSuffix: null }, target.account, target.media)
  const allowed = rulesOf({ ...target, ...without })
  const isFitting = [...rulesOf(target)].every((rule) => allowed.has(rule))
  return isFitting ? target : { ...target, ...without, isSuffixOmitted: true }
}

/** The most that defaults add to the posts of one request, which has at most as many bytes itself. */
const ADDED_BYTES_MAX = 1024 * 1024

/** Throws 413 if the defaults of the accounts of one request are too large together. */
function requireSmallDefaults(targets: readonly AccountTarget[]): void {
  requireFewSuffixes(targets)
  if (targets.length * DEFAULT_FIELDS_BYTES_MAX <= ADDED_BYTES_MAX) return
  let bytes = 0
  for (const { account } of targets) {
    bytes += account.defaultFields ? Buffer.byteLength(JSON.stringify(account.defaultFields)) : 0
    if (bytes > ADDED_BYTES_MAX) throw fail('body_too_large.defaults')
  }
}

/** Each suffix makes a text of its own, which is measured. Accounts with the same suffix share it. */
function requireFewSuffixes(targets: readonly AccountTarget[]): void {
  const texts = new Set<string>()
  let length = 0
  for (const { captionSuffix, caption, parts } of targets) {
    const text = captionSuffix === null ? undefined : (parts?.at(-1) ?? caption)
    if (text === undefined || texts.has(text)) continue
    texts.add(text)
    length += text.length
    if (length > ADDED_BYTES_MAX) throw fail('body_too_large.suffixes')
  }
}

const tooManyAccounts = (count: number): Issue => ({
  code: 'custom',
  path: ['accountIds'],
  message: `The post has ${count} accounts: at most ${POST_ACCOUNTS_MAX} are allowed`,
})
