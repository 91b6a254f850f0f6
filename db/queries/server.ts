import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'

/** The facts about the server and the role that an operator has to know. */
export interface ServerFacts {
  version: string
  versionNumber: number
  encoding: string
  /** It follows another server, and refuses writes. */
  isStandby: boolean
  isReadOnly: boolean
  fsync: string
  fullPageWrites: string
  synchronousCommit: string
  clientMinMessages: string
  /** Tables that the role may not read and write. */
  forbiddenTables: string[]
  /** Milliseconds since 1970 by the server's clock. */
  nowMs: number
}

export async function readServer(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::integer as version_number,
      current_setting('server_encoding') as encoding,
      pg_is_in_recovery() as is_standby,
      current_setting('default_transaction_read_only') = 'on' as is_read_only,
      current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit,
      current_setting('client_min_messages') as client_min_messages,
      (select coalesce(json_agg(relname order by relname), '[]') from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
          and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
            and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))) as forbidden_tables,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`.execute(db)
  return rows[0]!
}

const probe = prepared<Record<never, never>, unknown>('probe', () => sql`select true`)

/** Finds out whether a pooler gives two clients one connection, which has the statement of the first already. */
export const probeNames = (db: Db): Promise<void> =>
  db.connection().execute((one) =>
    db.connection().execute(async (two) => {
      for (const client of [one, two, one, two]) await probe(client, {}).catch(() => {})
    }),
  )

/** Opens as many connections as `count` at the same time, where the server gives them. */
export async function probeConnections(db: Db, count: number): Promise<void> {
  await Promise.allSettled(Array.from({ length: count }, () => probe(db, {})))
}
