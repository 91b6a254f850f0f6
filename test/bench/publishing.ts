import type pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { copy } from './data.ts'

/* Posts to the sandbox that become due, and when workers have started them. */

export const USER = uuidv7()

/** A delivery starts when its worker has committed the intent and is about to call the network. */
export const LATENESS = `
  select
    extract(epoch from max(published_at) - min(due_at))::float8 as seconds,
    percentile_cont(0.5) within group (order by extract(epoch from attempt.intended_at - due_at))::float8 as start_p50,
    percentile_cont(0.99) within group (order by extract(epoch from attempt.intended_at - due_at))::float8 as start_p99,
    percentile_cont(0.99) within group (order by extract(epoch from published_at - due_at))::float8 as published_p99
  from post_targets join delivery_attempts attempt using (user_id, post_id, account_id)`

export async function countPublished(client: pg.Client): Promise<number> {
  const published = `select count(*)::int from post_targets where claimable_at is null and platform = 'sandbox'`
  const { rows } = await client.query(published)
  return rows[0].count
}

/** Adds accounts on the sandbox. Returns their ids. */
export async function loadAccounts(client: pg.Client, key: Buffer, accounts: number): Promise<string[]> {
  await client.query(`insert into users (id, name) values ($1, 'ada')`, [USER])
  const ids = Array.from({ length: accounts }, () => uuidv7())
  const keyring = createKeyring([key])
  await copy(client, 'accounts (id, platform, username, user_id)', accounts, (index) => [
    ...[ids[index], 'sandbox', `ada${index}`, USER],
  ])
  await copy(client, 'account_credentials (account_id, key_id, data_key, data)', accounts, (index) => {
    const { keyId, dataKey, data } = keyring.seal(ids[index]!, { username: `ada${index}` })
    return [ids[index], keyId, `\\\\x${dataKey.toString('hex')}`, `\\\\x${data.toString('hex')}`]
  })
  return ids
}

interface DuePosts {
  accountIds: string[]
  posts: number
  /** When the first one is due. */
  dueAt: number
  /** The due times are spread evenly over this time. */
  spreadMs: number
}

export async function loadDuePosts(client: pg.Client, { accountIds, posts, dueAt, spreadMs }: DuePosts): Promise<void> {
  const ids = Array.from({ length: posts }, () => uuidv7())
  const at = (index: number) => new Date(dueAt + Math.floor((index / posts) * spreadMs)).toISOString()
  await copy(client, 'posts (user_id, id, caption, post_type, status, scheduled_at)', posts, (index) => [
    ...[USER, ids[index], `Post ${index}`, 'post', 'scheduled', at(index)],
  ])
  await copy(
    client,
    'post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)',
    posts,
    (index) => [USER, ids[index], accountIds[index % accountIds.length], 'sandbox', 'queued', at(index), at(index)],
  )
}
