import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { type DefaultFields, type ListedAccount, lockAccount, storeSettings } from '../../../db/queries/accounts.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { type Account, DEFAULT_FIELDS_BYTES_MAX, type UpdateAccount } from '../../../schemas/account.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { PostType } from '../../../schemas/platform.ts'
import { fail, invalidRequest, PreconditionFailed } from '../../base/errors.ts'
import { truncate } from '../../base/http/json.ts'
import { mergeFields } from '../../base/http/merge-patch.ts'
import { describeUnknown } from '../../base/http/nearest.ts'
import type { IfMatch } from '../../base/http/preconditions.ts'
import { isListed, requireScope } from '../../base/http/rights.ts'
import { EMPTY_DRAFT, EMPTY_TARGET } from '../../platforms/contract/post.ts'
import { limitsOf } from '../../platforms/limits.ts'
import { loadTarget } from '../../platforms/load-target.ts'
import type { OwnLimits } from '../../platforms/rules/context.ts'
import { NO_FILES } from '../../platforms/rules/files.ts'
import type { Violation } from '../../platforms/rules/violation.ts'
import { findViolations } from '../../platforms/violations.ts'
import { type Caller, etagOf } from './list.ts'
import { type AccountView, toListedAccount } from './store.ts'

/**
 * Changes the settings of an account of the user, or of an organisation that the user administers. Throws 404 if the
 * user, or the key, cannot use an account with this id. Throws 403 if the user may only post to it. A key without
 * `posts:publish` gets 403 for defaults, because others publish posts that get them, and for a pause or its end.
 */
export async function updateAccount(
  db: Db,
  { userId, rights, keyId }: Caller & { keyId: string },
  id: string,
  patch: UpdateAccount,
  { isMatch, view }: { isMatch: IfMatch | undefined; view: AccountView },
): Promise<Account> {
  const { defaultFields, captionSuffix, paused } = patch
  if ([defaultFields, captionSuffix, paused].some((value) => value !== undefined)) requireScope(rights, 'posts:publish')
  return inTransaction(db, async (db) => {
    const row = isId(id) && isListed(rights, id) ? await lockAccount(db, { userId, id }) : undefined
    if (!row) throw fail('account_not_found')
    if (row.userId !== userId && !row.isAdministered) throw fail('not_account_owner.changed')
    const etag = etagOf(toListedAccount(row, userId))
    if (isMatch && !isMatch(etag)) throw new PreconditionFailed(etag, 'precondition_failed.account')
    const changed = { ...row, ...mergeSettings(row, patch) }
    if (!isDeepStrictEqual(row, changed)) await storeSettings(db, id, { before: row, after: changed, keyId })
    return toListedAccount(changed, userId, view)
  })
}

type LockedAccount = ListedAccount & OwnLimits

function mergeSettings(
  row: LockedAccount,
  { displayName, defaultFields: patch, captionSuffix, tags, paused }: UpdateAccount,
) {
  const settings = {
    ownDisplayName: displayName === undefined ? row.ownDisplayName : displayName,
    captionSuffix:
      captionSuffix === undefined ? row.captionSuffix : captionSuffix && { ...row.captionSuffix, ...captionSuffix },
    tags: tags === undefined ? row.tags : tags?.length ? [...new Set(tags)] : null,
    pausedAt: paused === false ? null : paused ? (row.pausedAt ?? new Date().toISOString()) : row.pausedAt,
  }
  if (patch === undefined) return { ...settings, defaultFields: row.defaultFields }
  const defaultFields = mergeFields(row.defaultFields, patch)
  if (defaultFields) checkDefaultFields(row, defaultFields)
  return { ...settings, defaultFields }
}

/** Throws 400 for fields that no post for the account may have. */
function checkDefaultFields(account: LockedAccount, fields: DefaultFields): void {
  const { fields: known, postTypes } = limitsOf(account)
  const issues: Issue[] = Object.keys(fields)
    .filter((key) => !Object.hasOwn(known, key))
    .map((key) => ({
      code: 'custom',
      path: ['defaultFields', truncate(key)],
      message: describeUnknown(key, known),
    }))
  const bytes = Buffer.byteLength(JSON.stringify(fields))
  if (bytes > DEFAULT_FIELDS_BYTES_MAX) issues.push(tooLarge(bytes))
  if (issues.length > 0) throw invalidRequest(issues)
  // A field that one type of post refuses may be meant for the others.
  const [first = [], ...others] = (Object.keys(postTypes) as PostType[]).map((postType) =>
    findFieldViolations(account, fields, postType),
  )
  const violation = first.find(({ message }) =>
    others.every((violations) => violations.some((other) => other.message === message)),
  )
  if (violation) throw fail('platform_limit', violation.message)
}

const tooLarge = (bytes: number): Issue => ({
  code: 'custom',
  path: ['defaultFields'],
  message: `Would be ${bytes} bytes as JSON: at most ${DEFAULT_FIELDS_BYTES_MAX} are allowed`,
})

/** The violations of a draft with these fields, and without texts and files. */
function findFieldViolations(account: LockedAccount, fields: DefaultFields, postType: PostType): Violation[] {
  const target = { ...EMPTY_TARGET, fields, accountId: account.id, path: ['accountOverrides', 0], index: 0 }
  const post = { ...EMPTY_DRAFT, postType }
  const draft = { ...post, targets: [loadTarget(post, target, account, NO_FILES)] }
  return findViolations(draft).filter(({ path }) => path.includes('fields'))
}
