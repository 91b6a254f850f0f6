import { once } from 'node:events'
import pg from 'pg'
import { from } from 'pg-copy-streams'
import { v7 as uuidv7 } from 'uuid'
import { connect, type Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { insertUser } from '../../db/queries/people.ts'
import { createKey } from '../../src/auth/create-key.ts'

export interface Person {
  userId: string
  key: string
  /** Three, on the sandbox, with credentials. */
  accountIds: string[]
}

const ACCOUNTS_EACH = 3

export async function createPeople(databaseUrl: string, count: number): Promise<Person[]> {
  const db = connect({ url: databaseUrl, poolMax: 1 })
  try {
    const people: Person[] = []
    while (people.length < count) people.push(await createPerson(db, `person${people.length}`))
    return people
  } finally {
    await db.destroy()
  }
}

async function createPerson(db: Db, name: string): Promise<Person> {
  const userId = newId()
  await insertUser(db, { id: userId, name })
  const { key } = await createKey(db, { userId, name: null, expiresAt: null })
  const accountIds: string[] = []
  while (accountIds.length < ACCOUNTS_EACH) {
    const id = newId()
    const username = `${name}-${accountIds.length}`
    await insertAccount(db, { id, platform: 'sandbox', username, displayName: name, userId, organizationId: null })
    await replaceCredentials(db, id, { keyId: 'none', dataKey: Buffer.alloc(60), data: Buffer.alloc(60) })
    accountIds.push(id)
  }
  return { userId, key, accountIds }
}

/** In the past, so that what is created meanwhile is newer, as it would be. */
const NEWEST = Date.UTC(2026, 0, 1)
const CAPTION = 'The lighthouse keeper writes about the sea, the weather and the ships that pass. '

/**
 * Writes so many posts of a user, one a second, scheduled for the year 2100, with one target each. By COPY, and without
 * the checks of foreign keys, which are known to hold.
 */
export async function loadPosts(databaseUrl: string, { userId, accountIds }: Person, count: number): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    const ids = Array.from({ length: count }, (_, index) => uuidv7({ msecs: NEWEST - (count - index) * 1000 }))
    const due = '2100-01-01 00:00:00Z'
    const postOf = (id: string, index: number) => {
      const at = new Date(NEWEST - (count - index) * 1000).toISOString()
      return [userId, id, CAPTION + index, 'post', 'scheduled', due, at, at]
    }
    await copy(
      client,
      'posts (user_id, id, caption, post_type, status, scheduled_at, created_at, updated_at)',
      ids,
      postOf,
    )
    const targetOf = (id: string) => [userId, id, accountIds[0], 'sandbox', 'queued', due, due]
    await copy(
      client,
      'post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)',
      ids,
      targetOf,
    )
  } finally {
    await client.end()
  }
}

const ROWS_A_CHUNK = 1_000

/** Writes a row for each of `ids`: a table with its columns, and the values of each, in the text format of COPY. */
export async function copy(
  client: pg.Client,
  columns: string,
  ids: string[],
  rowOf: (id: string, index: number) => unknown[],
): Promise<void> {
  const stream = client.query(from(`copy ${columns} from stdin`))
  const finished = once(stream, 'finish')
  for (let begin = 0; begin < ids.length; begin += ROWS_A_CHUNK) {
    const rows = ids.slice(begin, begin + ROWS_A_CHUNK).map((id, index) => rowOf(id, begin + index).join('\t'))
    if (!stream.write(`${rows.join('\n')}\n`)) await once(stream, 'drain')
  }
  stream.end()
  await finished
}

/** What autovacuum would do sooner or later, now. */
export async function settle(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('vacuum (analyze)')
  await client.query('checkpoint')
  await client.end()
}
