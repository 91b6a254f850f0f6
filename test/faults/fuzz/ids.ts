import fc, { type Arbitrary } from 'fast-check'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'

/*
 * Ids only exist when a request is sent. Generated requests hold placeholders for them, which name a kind of resource
 * and a number; the caller replaces each by an id that it knows.
 */

export const RESOURCES = [
  'post',
  'account',
  'disposable',
  'media',
  'organization',
  'connection',
  'event',
  'key',
  'webhook',
  'user',
  'userKey',
  'tenant',
] as const
type Resource = (typeof RESOURCES)[number]

/** Resources of the caller, and those of another user. Accounts of the kind `disposable` may be disconnected. */
export type Pool = Resource | `foreign${Capitalize<Resource>}`

/** The pool with the same resources of another user. */
export const foreign = (pool: Pool) => `foreign${pool[0]!.toUpperCase()}${pool.slice(1)}` as Pool

/** An id that no resource has. */
export const UNKNOWN_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

// Delimited by characters of the private use area, which generated texts do not contain.
export const placeholder = (pool: Pool, index: number) => `\ue000${pool}:${index}\ue001`

/** Replaces every placeholder in `text`. */
export const fillIds = (text: string, idAt: (pool: Pool, index: number) => string): string =>
  text.replace(/\ue000(\w+):(\d+)\ue001/g, (_, pool: Pool, index) => idAt(pool, Number(index)))

export const weighted = <T>(weight: number, arbitrary: Arbitrary<T>) => ({ weight, arbitrary })

export const placeholders = (pool: Pool) => fc.nat({ max: 1_000 }).map((index) => placeholder(pool, index))

/** Mostly an id of the caller's; sometimes one of another user, an unknown one, or an invalid one. */
export const ids = (pool: Pool) =>
  fc.oneof(
    weighted(12, placeholders(pool)),
    weighted(1, placeholders(foreign(pool))),
    weighted(
      1,
      fc.constantFrom(UNKNOWN_ID, UNKNOWN_ID.toUpperCase(), 'a', '%', ' ', 'é', `${UNKNOWN_ID} `, 'a'.repeat(200)),
    ),
  )

/** Ids for a parameter of a path, by the segment before it. */
export function idsOf(path: string, name: string): Arbitrary<string> {
  const segments = path.split('/')
  const collection = segments[segments.indexOf(`{${name}}`) - 1]
  if (collection === 'posts') return ids('post')
  if (collection === 'media') return ids('media')
  // Posts need the other accounts, so only these are disconnected.
  if (collection === 'accounts') return ids('disposable')
  if (collection === 'connections') return ids('connection')
  if (collection === 'events') return ids('event')
  // Excludes the key of the caller.
  if (collection === 'keys') return ids(name === 'keyId' ? 'userKey' : 'key')
  if (collection === 'connected-apps') return ids('key')
  if (collection === 'webhooks') return ids('webhook')
  // Neither the caller nor the other user, and organisations without accounts.
  if (collection === 'users' || collection === 'members') return ids('user')
  if (collection === 'organizations') return ids('tenant')
  // The network with OAuth, one without, and none.
  if (collection === 'apps') return fc.constantFrom('tiktok', 'tiktok', 'tiktok', 'telegram', 'none')
  if (collection === 'platforms') return fc.constantFrom(...PLATFORM_IDS, 'none', 'constructor')
  // Excludes options that need a parameter, which the schema cannot express.
  if (collection === 'options') return fc.constantFrom('boardId', 'boardId', 'altText', 'constructor')
  if (collection === 'deliveries') return ids('account')
  throw new Error(`No ids for the parameter ${name} of ${path}: add its collection to idsOf`)
}
