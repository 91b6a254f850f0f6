import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { copy } from '../bench/data.ts'

/** How many of the deliveries are due, scheduled for later, and published long ago. */
export interface Counts {
  due: number
  later: number
  published: number
}

const ACCOUNTS = 5_000
const HOUR_MS = 3_600_000

/** Deliveries to the sandbox, one a post, shared among ACCOUNTS accounts of the user. Returns the accounts. */
export async function seed(url: string, userId: string, key: Buffer, counts: Counts): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    const accountIds = await seedAccounts(client, userId, key)
    const now = Date.now()
    const kinds = [
      ...Array(counts.published).fill({ status: 'published', state: 'published', at: now - 1000 * HOUR_MS }),
      ...Array(counts.later).fill({ status: 'scheduled', state: 'queued', at: now + 1000 * HOUR_MS }),
      ...Array(counts.due).fill({ status: 'scheduled', state: 'queued', at: now - HOUR_MS }),
    ] as { status: string; state: string; at: number }[]
    const ids = kinds.map(({ at }, index) => uuidv7({ msecs: Math.min(at, now - HOUR_MS) + index }))
    const timeOf = (index: number) => new Date(kinds[index]!.at + index).toISOString()
    await copy(client, 'posts (user_id, id, caption, post_type, status, scheduled_at)', kinds.length, (index) => [
      ...[userId, ids[index], `Seeded ${index}`, 'post', kinds[index]!.status, timeOf(index)],
    ])
    await copy(
      client,
      'post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)',
      kinds.length,
      (index) => {
        const { state } = kinds[index]!
        const claimableAt = state === 'queued' ? timeOf(index) : '\\N'
        return [userId, ids[index], accountIds[index % ACCOUNTS], 'sandbox', state, timeOf(index), claimableAt]
      },
    )
    await client.query('vacuum (analyze)')
    return accountIds
  } finally {
    await client.end()
  }
}

async function seedAccounts(client: pg.Client, userId: string, key: Buffer): Promise<string[]> {
  const ids = Array.from({ length: ACCOUNTS }, () => uuidv7())
  const keyring = createKeyring([key])
  await copy(client, 'accounts (id, platform, username, user_id)', ids.length, (index) => [
    ...[ids[index], 'sandbox', `ada${index}`, userId],
  ])
  await copy(client, 'account_credentials (account_id, key_id, data_key, data)', ids.length, (index) => {
    const { keyId, dataKey, data } = keyring.seal(ids[index]!, { username: `ada${index}` })
    return [ids[index], keyId, `\\\\x${dataKey.toString('hex')}`, `\\\\x${data.toString('hex')}`]
  })
  return ids
}
