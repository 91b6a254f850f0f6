import { sql } from 'kysely'
import { v5 as uuidOf } from 'uuid'
import type { Db } from '../../../db/client.ts'
import { findWrongClaim } from '../../helpers/promises.ts'
import type { Line } from './clients.ts'

/**
 * Every way in which the database contradicts the responses that clients got. While clients are at work, a delivery may
 * be unfinished. When they have stopped (`isOver`), every delivery has to be published.
 */
export function findBreaches(db: Db, lines: Line[], { isOver = false } = {}): Promise<string[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (snapshot) => [
      ...(await comparePosts(snapshot, lines)),
      ...(await compareDeliveries(snapshot, lines, isOver)),
    ])
}

async function comparePosts(db: Db, lines: Line[]): Promise<string[]> {
  const { rows } = await sql<{ id: string; caption: string }>`select id, caption from posts`.execute(db)
  const byCaption = Map.groupBy(rows, ({ caption }) => caption)
  const byKey = Map.groupBy(lines, (line) => (line.type === 'published' ? undefined : line.key))
  byKey.delete(undefined)
  return [...byKey].flatMap(([key, told]) => [
    // 503 is right while the database is away, 500 never.
    ...told.flatMap((line) => (line.type === 'failed' && line.status === 500 ? [`${key} failed: ${line.error}`] : [])),
    ...findWrongClaim({
      name: key!,
      ids: told.flatMap((line) => (line.type === 'created' ? [line.id] : [])),
      mayBeStored: told.some(({ type }) => type === 'failed'),
      stored: byCaption.get(key!)?.map(({ id }) => id) ?? [],
    }).map(({ text }) => text),
  ])
}

interface StoredDelivery {
  postId: string
  caption: string
  state: string
  sent: { id: string }[]
  token: string
}

async function compareDeliveries(db: Db, lines: Line[], isOver: boolean): Promise<string[]> {
  const breaches: string[] = []
  const { rows: deliveries } = await sql<StoredDelivery>`
    select post_id, caption, state, sent, token
    from post_targets join posts using (user_id) where posts.id = post_id and due_at <= now()`.execute(db)
  const byPost = new Map(deliveries.map((delivery) => [delivery.postId, delivery]))
  for (const line of lines) {
    if (line.type !== 'published') continue
    const delivery = byPost.get(line.id)
    const isPublished = delivery?.state === 'published' && delivery.sent[0]?.id === line.externalId
    if (!isPublished) breaches.push(`${line.id} was shown as published, and is not`)
  }
  const { rows: calls } = await sql<{ id: string; token: string }>`
    select id, token from sandbox_calls where accepted`.execute(db)
  const byToken = Map.groupBy(calls, ({ token }) => token)
  for (const { caption, state, sent, token } of deliveries) {
    // Every post has one act, whose token derives from its number.
    const actToken = uuidOf('1', token)
    const received = byToken.get(actToken) ?? []
    byToken.delete(actToken)
    if (received.length > 1) breaches.push(`${caption} was sent ${received.length} times`)
    if (state === 'published' && sent[0]?.id !== received[0]?.id) breaches.push(`${caption} has the id of another call`)
    if (state !== 'published' && isOver) breaches.push(`${caption} is ${state}`)
  }
  if (byToken.size > 0) breaches.push(`${byToken.size} calls belong to no post`)
  return breaches
}
