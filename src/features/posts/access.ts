import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import type { Actor } from '../../../db/queries/events/actor.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { findAuthor, findOrganizationAccounts } from '../../../db/queries/roles.ts'
import { AppError, fail } from '../../base/errors.ts'
import { isListed } from '../../base/http/rights.ts'

/** The accounts and files that the caller of a request may put into a post. */
export interface Usable {
  /** Limits the accounts that the owner of the post may use. Null does not restrict. */
  accountIds: readonly string[] | null
  /** Limits the files of the owner. Absent, these are all, or those that a key for `accountIds` sees. */
  mediaIds?: readonly string[]
}

/** The accounts and files that the caller may put into a post that exists. Only the owner may add files. */
export interface UsableForPost extends Usable {
  isOwner: boolean
}

type Confirm = (db: Db, accountIds: readonly string[]) => Promise<UsableForPost>

/** A post, and whether the caller may see and change it. */
export interface PostAccess extends Actor {
  /** The owner. */
  userId: string
  id: string
  /**
   * Throws 404 if the caller must not see a post with these accounts. It is called with the post locked, because
   * another request may move a post to other accounts. Absent if the caller is the owner, with a key for all accounts.
   */
  confirm?: Confirm
}

export const postNotFound = () => fail('post_not_found')

interface PostRequest {
  userId: string
  keyId: string
  rights: KeyRights
  params: { id: string }
}

/**
 * Runs `act` on a post of the caller, or on a post that another member has made for an organisation that the caller
 * administers. Throws 404 for any other post. A post belongs to an organisation if all its accounts do.
 */
export async function withPost<T>(
  db: Db,
  { userId, keyId, rights, params: { id } }: PostRequest,
  act: (post: PostAccess) => Promise<T>,
): Promise<T> {
  try {
    return await act({ userId, id, keyId, ...(rights.accountIds && { confirm: ownerWith(rights) }) })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'post_not_found') throw error
    const [author] = isId(id) ? await findAuthor(db, { userId, id }) : []
    if (!author) throw error
    return act({ userId: author.userId, id, keyId, confirm: adminOf(userId, author.userId, rights) })
  }
}

/** The owner with a key for some accounts: posts with any other account do not exist. */
const ownerWith =
  (rights: KeyRights): Confirm =>
  async (_db, accountIds) => {
    requireListed(rights, accountIds)
    return { accountIds: rights.accountIds, isOwner: true }
  }

const adminOf =
  (userId: string, authorId: string, rights: KeyRights): Confirm =>
  async (db, accountIds) => {
    requireListed(rights, accountIds)
    // The accounts of a post disappear with the user who owns them.
    const [organization] =
      accountIds.length > 0 ? await findOrganizationAccounts(db, { userId, authorId, accountIds }) : []
    if (!organization) throw postNotFound()
    return { accountIds: organization.accountIds.filter((id) => isListed(rights, id)), isOwner: false }
  }

function requireListed(rights: KeyRights, accountIds: readonly string[]): void {
  if (!accountIds.every((id) => isListed(rights, id))) throw postNotFound()
}
