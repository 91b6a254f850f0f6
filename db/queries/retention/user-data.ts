import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { inTransaction } from '../../transaction.ts'
import { type DisconnectedAccount, disconnectAccount } from '../disconnect.ts'
import type { StagedFile } from '../staged-files.ts'

// Everything of one user, for its deletion. Statements for many rows take a limit, so that none of them holds up
// others.

export interface UserData {
  name: string
  posts: number
  files: number
  accounts: number
  keys: number
}

/** Counts what belongs to a user; undefined if there is no such user. */
export async function countUserData(db: Db, userId: string): Promise<UserData | undefined> {
  const { rows } = await sql<UserData>`
    select name,
      (select count(*) from posts where user_id = users.id) as posts,
      (select count(*) from media where user_id = users.id) as files,
      (select count(*) from accounts where user_id = users.id) as accounts,
      (select count(*) from api_keys where user_id = users.id) as keys
    from users where id = ${userId}`.execute(db)
  return rows[0]
}

interface Heir {
  id: string
  /** Who gets the account. */
  userId: string
  /** The heir has connected the same profile. */
  isDouble: boolean
}

/**
 * The connected accounts of a user that their organisations keep, and to whom each passes: an admin before a member.
 */
const findHeirs = (db: Db, userId: string) =>
  sql<Heir>`
    select accounts.id, heir.user_id,
      exists (
        select from accounts as own
        where own.user_id = heir.user_id and own.platform = accounts.platform
          and own.external_id = accounts.external_id and own.disconnected_at is null) as is_double
    from accounts, lateral (
      select user_id from memberships
      where organization_id = accounts.organization_id and user_id <> ${userId}
      order by role = 'admin' desc, created_at, user_id limit 1) as heir
    where accounts.user_id = ${userId} and accounts.disconnected_at is null
    order by accounts.id`.execute(db)

export const countHeirs = async (db: Db, userId: string): Promise<number> => (await findHeirs(db, userId)).rows.length

interface StoppedUser {
  /** How many accounts organisations keep. */
  passedOn: number
  /** The accounts of the user that nobody else keeps. */
  disconnected: DisconnectedAccount[]
}

/**
 * Makes sure that nothing is created or sent for a user any more: deletes the keys, passes shared accounts on,
 * disconnects the others, and ends the memberships.
 */
export function stopUser(db: Db, userId: string): Promise<StoppedUser> {
  return inTransaction(db, async (db) => {
    await sql`delete from api_keys where user_id = ${userId}`.execute(db)
    // A flow that is at its network finds nothing to end with.
    await sql`delete from connections where user_id = ${userId}`.execute(db)
    // Claims lock accounts as well, in no order, but never two that they wait for.
    await sql`select from accounts where user_id = ${userId} order by id for update`.execute(db)
    const { rows: heirs } = await findHeirs(db, userId)
    // The heir's own connection stays the only one. Posts that name this one get `no_access`.
    const disconnected: (DisconnectedAccount | undefined)[] = []
    for (const { id, isDouble, ...heir } of heirs) {
      if (isDouble) disconnected.push(await disconnectAccount(db, id))
      await db.updateTable('accounts').set(heir).where('id', '=', id).execute()
    }
    const { rows } = await sql<{ id: string }>`select id from accounts where user_id = ${userId} order by id`.execute(
      db,
    )
    for (const { id } of rows) disconnected.push(await disconnectAccount(db, id))
    await sql`delete from memberships where user_id = ${userId}`.execute(db)
    return { passedOn: heirs.length, disconnected: disconnected.filter((account) => account !== undefined) }
  })
}

/**
 * Deletes posts of the user after the post `after`, whatever their state. Returns their ids in order. Deliveries are
 * locked before their posts: a worker that is settling one of them ends first.
 */
export async function deletePostsOf(
  db: Db,
  { userId, after, limit }: { userId: string; after: string; limit: number },
) {
  const { rows } = await sql<{ id: string }>`
    with post as materialized (
      select user_id, id from posts where user_id = ${userId} and id > ${after}::uuid order by id limit ${limit}
    ),
    delivery as materialized (
      select delivery.post_id
      from post join post_targets as delivery on delivery.user_id = post.user_id and delivery.post_id = post.id
      order by delivery.user_id, delivery.post_id, delivery.account_id
      for update of delivery
    ),
    deleted as (
      delete from posts using post
      where posts.user_id = post.user_id and posts.id = post.id and (select count(*) from delivery) >= 0
      returning posts.id
    )
    select id from deleted order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deletes files of the user that no post uses. Returns how many, and the bytes, marked for deletion. */
export async function deleteMediaOf(db: Db, { userId, limit }: { userId: string; limit: number }) {
  const { rows } = await sql<{ storageKey: string | null }>`
    with deleted as (
      delete from media
      where (user_id, id) in (
        select user_id, id from media
        where user_id = ${userId} and not exists (
          select from post_media where post_media.user_id = media.user_id and post_media.media_id = media.id)
        order by id limit ${limit})
      returning user_id, storage_key
    ),
    staged as (
      insert into loose_files (user_id, storage_key, renewed_at)
      select user_id, storage_key, null from deleted where storage_key is not null
    )
    select storage_key from deleted`.execute(db)
  const files = rows.flatMap(({ storageKey }): StagedFile[] => (storageKey === null ? [] : [{ userId, storageKey }]))
  return { count: rows.length, files }
}

/** Marks every staged file of the user for deletion: an upload that is still running ends without a file. */
export async function markFilesOf(db: Db, userId: string): Promise<StagedFile[]> {
  const { rows } = await sql<StagedFile>`
    update loose_files set renewed_at = null where user_id = ${userId} returning user_id, storage_key`.execute(db)
  return rows
}

/** Forgets posts of the user whose words had to be read. Returns how many. */
export async function deleteDueWordsOf(db: Db, { userId, limit }: { userId: string; limit: number }) {
  const { numAffectedRows } = await sql`
    delete from post_words_due
    where seq in (select seq from post_words_due where user_id = ${userId} limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

/** Deletes responses that are kept for requests with an Idempotency-Key. Returns how many. */
export async function deleteKeptResponsesOf(db: Db, { userId, limit }: { userId: string; limit: number }) {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys
    where user_id = ${userId}
      and key in (select key from idempotency_keys where user_id = ${userId} limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

/**
 * Passes accounts that posts of other users name on to the owner of the newest of these posts. They are disconnected:
 * only the history of these posts needs them. Call it when the user has no posts any more.
 */
export async function passOnNamedAccounts(db: Db, userId: string): Promise<void> {
  await sql`
    update accounts set user_id = poster.user_id, organization_id = null
    from accounts as named, lateral (
      select user_id from post_targets where account_id = named.id order by post_id desc limit 1) as poster
    where accounts.id = named.id and named.user_id = ${userId} and named.disconnected_at is not null`.execute(db)
}

/** Deletes what the sandbox received for accounts of the user. Returns how many calls. */
export async function deleteSandboxCallsOf(db: Db, { userId, limit }: { userId: string; limit: number }) {
  const { numAffectedRows } = await sql`
    delete from sandbox_calls
    where id in (
      select sandbox_calls.id from accounts join sandbox_calls on sandbox_calls.account_id = accounts.id
      where accounts.user_id = ${userId} limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

/** Deletes the user with the rest. Deletes nothing and returns false if there are posts or files again. */
export function deleteEmptyUser(db: Db, userId: string): Promise<boolean> {
  return inTransaction(db, async (db) => {
    // From here on, nothing can be added to the user.
    await sql`select from users where id = ${userId} for update`.execute(db)
    const { rows } = await sql<{ isEmpty: boolean }>`
      select not exists (select from posts where user_id = ${userId})
        and not exists (select from media where user_id = ${userId})
        and not exists (
          select from accounts join post_targets on post_targets.account_id = accounts.id
          where accounts.user_id = ${userId}) as is_empty`.execute(db)
    if (rows[0]!.isEmpty) await sql`delete from users where id = ${userId}`.execute(db)
    return rows[0]!.isEmpty
  })
}
