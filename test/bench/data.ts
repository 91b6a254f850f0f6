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
const DUE = '2100-01-01 00:00:00Z'

const timeOf = (place: number) => NEWEST - place * 1000

/** The id of the post at that place of a user's, counted from the newest that was loaded. */
export function idAt(place: number): string {
  const random = Buffer.alloc(16)
  random.writeUInt32BE(place, 12)
  return uuidv7({ msecs: timeOf(place), seq: 0, random })
}

/**
 * Writes the posts of a user from one place to another, one a second, scheduled for the year 2100, with one target each. By
 * COPY, and without the checks of foreign keys, which are known to hold.
 */
export async function loadPosts(
  databaseUrl: string,
  { userId, accountIds }: Person,
  end: number,
  begin = 0,
): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    // The oldest first, as they would have come.
    const placeOf = (index: number) => end - 1 - index
    await copy(
      client,
      'posts (user_id, id, caption, post_type, status, scheduled_at, created_at, updated_at)',
      end - begin,
      (index) => {
        const place = placeOf(index)
        const at = new Date(timeOf(place)).toISOString()
        return [userId, idAt(place), CAPTION + place, 'post', 'scheduled', DUE, at, at]
      },
    )
    await copy(
      client,
      'post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)',
      end - begin,
      (index) => [userId, idAt(placeOf(index)), accountIds[0], 'sandbox', 'queued', DUE, DUE],
    )
  } finally {
    await client.end()
  }
}

const ROWS_A_CHUNK = 1_000

/** Writes so many rows: a table with its columns, and the values of each, in the text format of COPY. */
export async function copy(
  client: pg.Client,
  columns: string,
  count: number,
  rowOf: (index: number) => unknown[],
): Promise<void> {
  const stream = client.query(from(`copy ${columns} from stdin`))
  const finished = once(stream, 'finish')
  for (let begin = 0; begin < count; begin += ROWS_A_CHUNK) {
    let rows = ''
    for (let index = begin; index < Math.min(begin + ROWS_A_CHUNK, count); index++)
      rows += `${rowOf(index).join('\t')}\n`
    if (!stream.write(rows)) await once(stream, 'drain')
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
