import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { at, type Now } from './clock.ts'

/** Stores the picture of a connected account, in place of an earlier one. */
export async function storeAvatar(db: Db, { id, bytes }: { id: string; bytes: Buffer }): Promise<void> {
  await sql`
    insert into avatars (account_id, bytes)
    select id, ${bytes} from accounts where id = ${id} and disconnected_at is null
    on conflict (account_id) do update set bytes = excluded.bytes, stored_at = excluded.stored_at`.execute(db)
}

export const findAvatar = (db: Db, id: string) =>
  db.selectFrom('avatars').select('bytes').where('accountId', '=', id).executeTakeFirst()

/** The owner of an account whose picture was stored before `ageSeconds`; undefined for any other account. */
export const findOldAvatar = (db: Db, { id, ageSeconds, now }: { id: string; ageSeconds: number; now: Now }) =>
  db
    .selectFrom('avatars')
    .innerJoin('accounts', 'accounts.id', 'avatars.accountId')
    .select('accounts.userId')
    .where('accountId', '=', id)
    .where('storedAt', '<', sql<Date>`${at(now)} - make_interval(secs => ${ageSeconds})`)
    .executeTakeFirst()
