import type { CompiledQuery } from 'kysely'
import type { Db } from '../../db/client.ts'
import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import { settleAct } from '../../db/queries/delivery/settle.ts'
import type { Settlement } from '../../db/queries/delivery/settlement.ts'
import { CALL_LEASE_MS, LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { claimDue, type DeliveryWorld } from './publisher.ts'

/** The same database, which records the statements that it executes. `onStatement` is called before each of them. */
export function withRecordedStatements(
  db: Db,
  onStatement: (statement: string) => void = () => {},
): { db: Db; statements: string[] } {
  const statements: string[] = []
  const executeQuery = (query: CompiledQuery) => {
    statements.push(query.sql)
    onStatement(query.sql)
    return db.executeQuery(query)
  }
  const get = (target: Db, key: string) => {
    if (key === 'executeQuery') return executeQuery
    const value = Reflect.get(target, key, target)
    return typeof value === 'function' ? value.bind(target) : value
  }
  return { db: new Proxy(db, { get }), statements }
}

/** Stores a settlement. Returns whether its lease was still held. */
export const settle = async (...args: Parameters<typeof settleAct>): Promise<boolean> =>
  (await settleAct(...args)) !== undefined

/** The outcome of a single act with this id. */
export const published = (id: string): Settlement => ({
  state: 'published',
  sent: { id, url: null },
  sentBefore: 0,
  mayUnpublish: false,
  prepared: null,
  failures: 0,
  error: null,
  outcome: 'published',
  act: 1,
  lostMsAgo: null,
  startedMsAgo: 0,
  accountRestsMs: 0,
  attention: null,
})

export const intentOf = (delivery: ClaimedDelivery) => ({
  ...delivery,
  act: 1,
  prepared: null,
  lostMsAgo: null,
  startedMsAgo: 0,
  callLeaseMs: CALL_LEASE_MS,
  leaseMs: LEASE_MS,
  now: null,
})

/** Creates posts with one delivery each, and claims them. */
export async function claimSome(
  { db, connectAccount, post, time }: DeliveryWorld,
  count: number,
): Promise<ClaimedDelivery[]> {
  for (let number = 0; number < count; number++) {
    await post({ accountIds: [await connectAccount('mastodon')], caption: `post ${number}` })
  }
  return claimDue(db, { platforms: ['mastodon'], slots: [count], now: time.now })
}
