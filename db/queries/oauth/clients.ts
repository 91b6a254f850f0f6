import { sql } from 'kysely'
import type { Db } from '../../client.ts'

interface RegisteredClient {
  id: string
  name: string
  redirectUris: string[]
}

/** How long a client that has registered itself may take until a person approves it. */
const UNUSED_FOR = sql`interval '1 day'`

/** How long a client is kept after its last token: hosted apps register once, and connect again later. */
const KEPT_FOR = sql`interval '180 days'`

/**
 * Stores a client, and deletes the oldest unapproved ones, so that `unusedMax` are left. Others can still register one
 * during a flood of registrations.
 */
export const insertClient = (db: Db, { id, name, redirectUris }: RegisteredClient, unusedMax: number) =>
  sql`
    with dropped as (
      delete from oauth_clients
      where id in (
        select id from oauth_clients
        where not is_used
          -- A person has approved it, and its tokens follow.
          and not exists (select from oauth_codes where oauth_codes.client_id = oauth_clients.id)
        order by expires_at desc
        offset ${unusedMax - 1})
    )
    insert into oauth_clients (id, name, redirect_uris, expires_at)
    values (${id}, ${name}, ${redirectUris}, now() + ${UNUSED_FOR})`.execute(db)

export const findClient = (db: Db, id: string): Promise<RegisteredClient | undefined> =>
  db
    .selectFrom('oauthClients')
    .select(['id', 'name', 'redirectUris'])
    .where('id', '=', id)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst()

/** Keeps a client that has got tokens. It writes once a month at most. */
export const keepClient = (db: Db, id: string) =>
  db
    .updateTable('oauthClients')
    .set({ isUsed: true, expiresAt: sql<Date>`now() + ${KEPT_FOR}` })
    .where('id', '=', id)
    .where(sql<boolean>`(not is_used or expires_at < now() + ${KEPT_FOR} - interval '30 days')`)
    .execute()
