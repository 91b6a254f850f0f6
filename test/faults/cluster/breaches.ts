import { sql } from 'kysely'
import { v5 as uuidOf } from 'uuid'
import type { Db } from '../../../db/client.ts'
import type { Line } from './clients.ts'

/**
 * Every way in which the database differs from what clients were told. While they are still at work, what is not there yet
 * may come; when all `isOver`, every delivery has come to its end, too.
 */
export function findBreaches(db: Db, lines: Line[], { isOver = false } = {}): Promise<string[]> {
  // All of it as it was at one moment.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((db) => compare(db, lines, isOver))
}

async function compare(db: Db, lines: Line[], isOver: boolean): Promise<string[]> {
  const breaches: string[] = []
  const expect = (isSo: boolean, what: string) => isSo || breaches.push(what)

  const posts = await sql<{
    id: string
    caption: string
    status: string
  }>`select id, caption, status from posts`.execute(db)
  const known = new Map(posts.rows.map((post) => [post.id, post]))
  const times = Map.groupBy(posts.rows, ({ caption }) => caption)
  for (const line of lines) {
    if (line.type === 'created') expect(known.get(line.id)?.caption === line.key, `${line.key} is lost`)
    // A database that is away is nobody's mistake.
    if (line.type === 'failed') expect(line.status !== 500, `${line.key} was answered ${line.error}`)
    if (line.type === 'refused') expect(!times.has(line.key), `${line.key} was refused, and is there`)
  }
  for (const [caption, { length }] of times) expect(length === 1, `${caption} is there ${length} times`)

  const deliveries = await readDeliveries(db)
  for (const line of lines) {
    if (line.type !== 'published') continue
    const delivery = deliveries.find(({ postId }) => postId === line.id)
    expect(
      delivery?.state === 'published' && delivery.sent[0]?.id === line.externalId,
      `${line.id} was said to be published`,
    )
  }
  const calls = await sql<{ id: string; token: string }>`select id, token from sandbox_calls where accepted`.execute(db)
  const ofToken = Map.groupBy(calls.rows, ({ token }) => token)
  for (const { caption, state, sent, token } of deliveries) {
    // The token of the first act, the only one here.
    const received = ofToken.get(uuidOf('1', token)) ?? []
    ofToken.delete(uuidOf('1', token))
    expect(received.length <= 1, `${caption} was sent ${received.length} times`)
    if (state === 'published') expect(sent[0]?.id === received[0]?.id, `${caption} is not what was sent`)
    else if (isOver) breaches.push(`${caption} is ${state}`)
  }
  expect(ofToken.size === 0, `${ofToken.size} calls were for posts that are not there`)
  return breaches
}

/** What has been due. */
async function readDeliveries(db: Db) {
  const { rows } = await sql<{
    postId: string
    caption: string
    state: string
    sent: { id: string }[]
    token: string
  }>`
    select post_id, caption, state, sent, token
    from post_targets join posts using (user_id) where posts.id = post_id and due_at <= now()`.execute(db)
  return rows
}
