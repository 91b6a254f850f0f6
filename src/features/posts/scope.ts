import type { KeyRights } from '../../../db/queries/keys.ts'
import { hasScope } from '../../../schemas/scopes.ts'
import { MissingScope } from '../../base/errors.ts'

interface Timed {
  scheduledAt?: string | null | undefined
  schedule?: object | undefined
}

/** Whether the body of a request gives its post a time, so that it is published without a further request. */
export const isScheduling = ({ scheduledAt, schedule }: Timed): boolean =>
  typeof scheduledAt === 'string' || schedule !== undefined

/** The error of a key that may not write a post. One without `posts:publish` decides about drafts alone. */
export function findMissingScope(rights: KeyRights, isScheduled: boolean): MissingScope | undefined {
  if (!hasScope(rights, 'posts:write')) return new MissingScope('posts:write')
  return isScheduled && !hasScope(rights, 'posts:publish') ? new MissingScope('posts:publish') : undefined
}

/** Throws 403 for a key that may not write the post. */
export function requirePostScope(rights: KeyRights, isScheduled: boolean): void {
  const missing = findMissingScope(rights, isScheduled)
  if (missing) throw missing
}
