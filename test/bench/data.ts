import { once } from 'node:events'
import pg from 'pg'
import { from } from 'pg-copy-streams'
import { v7 as uuidv7 } from 'uuid'
import { connect, type Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { insertMedia } from '../../db/queries/media.ts'
import { insertOrganization, insertUser, upsertMembership } from '../../db/queries/people.ts'
import { WORDS_RULE } from '../../db/queries/posts/words.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { storedWords } from '../../src/features/posts/words.ts'

export interface Person {
  userId: string
  key: string
  /** Three connected accounts on the sandbox. */
  accountIds: string[]
  /** The files of the posts that the person creates. */
  mediaIds: string[]
  /** The organisation of the first account. */
  organizationId: string | null
}

const ACCOUNTS_PER_PERSON = 3

/** How the posts of a person differ from plain ones. */
interface Kind {
  /** Each post has a file. */
  hasFile?: boolean
  /** The last account has no credentials: the responses warn of it. */
  isUnready?: boolean
}

export async function createPeople(databaseUrl: string, count: number, kind: Kind = {}): Promise<Person[]> {
  const db = connect({ url: databaseUrl, poolMax: 1 })
  try {
    const people: Person[] = []
    while (people.length < count) people.push(await createPerson(db, `person${people.length}`, null, kind))
    return people
  } finally {
    await db.destroy()
  }
}

/** Creates an organisation. */
export async function createOrganization(databaseUrl: string): Promise<string> {
  const db = connect({ url: databaseUrl, poolMax: 1 })
  const id = newId()
  await insertOrganization(db, { id, name: 'members' }).finally(() => db.destroy())
  return id
}

/** Creates admins of an organisation. The first account of each belongs to it. */
export async function createMembers(databaseUrl: string, organizationId: string, count: number): Promise<Person[]> {
  const db = connect({ url: databaseUrl, poolMax: 1 })
  try {
    const people: Person[] = []
    while (people.length < count) people.push(await createPerson(db, `member${people.length}`, organizationId))
    return people
  } finally {
    await db.destroy()
  }
}

async function createPerson(
  db: Db,
  name: string,
  organizationId: string | null = null,
  { hasFile = false, isUnready = false }: Kind = {},
): Promise<Person> {
  const userId = newId()
  await insertUser(db, { id: userId, name })
  if (organizationId) await upsertMembership(db, { userId, organizationId, role: 'admin' })
  const { key } = await createKey(db, { userId, name: null, expiresAt: null })
  const accountIds: string[] = []
  while (accountIds.length < ACCOUNTS_PER_PERSON) {
    const id = newId()
    const username = `${name}-${accountIds.length}`
    const owner = accountIds.length === 0 ? organizationId : null
    await insertAccount(db, { id, platform: 'sandbox', username, displayName: name, userId, organizationId: owner })
    accountIds.push(id)
    if (isUnready && accountIds.length === ACCOUNTS_PER_PERSON) continue
    await replaceCredentials(db, id, { keyId: 'none', dataKey: Buffer.alloc(60), data: Buffer.alloc(60) })
  }
  const mediaIds = hasFile ? [newId()] : []
  for (const id of mediaIds)
    await insertMedia(db, {
      id,
      userId,
      mimeType: 'image/jpeg',
      bytes: 100_000,
      width: 800,
      height: 600,
      durationSeconds: null,
    })
  return { userId, key, accountIds, mediaIds, organizationId }
}

/** In the past, so that posts which a benchmark creates are newer. */
const NEWEST = Date.UTC(2026, 0, 1)
const CAPTION = 'The lighthouse keeper writes about the sea, the weather and the ships that pass. '
const DUE = '2100-01-01 00:00:00Z'

const timeOf = (rank: number) => NEWEST - rank * 1000

/** Id of the loaded post with this rank; the newest has rank 0. */
export function idAt(rank: number): string {
  const random = Buffer.alloc(16)
  random.writeUInt32BE(rank, 12)
  return uuidv7({ msecs: timeOf(rank), seq: 0, random })
}

/**
 * Inserts the posts of a user with ranks from `begin` up to `end`, created one per second, scheduled for 2100, with one
 * target each. Uses COPY and skips the foreign key checks, which the data satisfies.
 */
export async function loadPosts(
  databaseUrl: string,
  { userId, accountIds, organizationId }: Person,
  end: number,
  begin = 0,
): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    // Oldest first, the order in which clients create them.
    const rankAt = (index: number) => end - 1 - index
    await copy(
      client,
      'posts (user_id, id, caption, post_type, status, scheduled_at, created_at, updated_at, organization_id, without_media)',
      end - begin,
      (index) => {
        const rank = rankAt(index)
        const at = new Date(timeOf(rank)).toISOString()
        return [userId, idAt(rank), CAPTION + rank, 'post', 'scheduled', DUE, at, at, organizationId ?? '\\N', 'true']
      },
    )
    await copy(
      client,
      'post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)',
      end - begin,
      (index) => [userId, idAt(rankAt(index)), accountIds[0], 'sandbox', 'queued', DUE, DUE],
    )
    await withoutIndex(client, 'post_words_words', () =>
      copy(client, 'post_words (user_id, post_id, words)', end - begin, (index) => {
        const rank = rankAt(index)
        const post = { userId, postId: idAt(rank), texts: [CAPTION + rank] }
        return [userId, post.postId, `{${[...storedWords(post), WORDS_RULE].join(',')}}`]
      }),
    )
  } finally {
    await client.end()
  }
}

/** Drops an index, and builds it again after `work`, which is faster than adding each row to it. */
async function withoutIndex(client: pg.Client, name: string, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query('select pg_get_indexdef($1::regclass) as definition', [name])
  await client.query(`drop index ${name}`)
  await work()
  await client.query(rows[0].definition)
}

const ROWS_PER_CHUNK = 1_000

/** Inserts `count` rows by COPY in text format. `columns` names the table and its columns. */
export async function copy(
  client: pg.Client,
  columns: string,
  count: number,
  rowOf: (index: number) => unknown[],
): Promise<void> {
  const stream = client.query(from(`copy ${columns} from stdin`))
  const finished = once(stream, 'finish')
  for (let begin = 0; begin < count; begin += ROWS_PER_CHUNK) {
    let rows = ''
    for (let index = begin; index < Math.min(begin + ROWS_PER_CHUNK, count); index++)
      rows += `${rowOf(index).join('\t')}\n`
    if (!stream.write(rows)) await once(stream, 'drain')
  }
  stream.end()
  await finished
}

/** Vacuums and checkpoints now, so that neither happens during a measurement. */
export async function vacuumDatabase(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('vacuum (analyze)')
  await client.query('checkpoint')
  await client.end()
}
