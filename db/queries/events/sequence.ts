import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { clockOf } from '../user-now.ts'
import { queueForWebhooks } from '../webhooks/matching.ts'
import { EVERYONE } from './stream.ts'

/** The most events that one transaction numbers. */
export const BATCH_MAX = 1_000

/**
 * Locks the stream of all users, then the streams of users who have events in the outbox, but for streams that another
 * sequencer holds. Without the first one, it locks none. A stream of a user that does not exist yet is created, which
 * locks it as well.
 */
const lockStreams = prepared<{ limit: number }, { userId: string }>(
  'lock_event_streams',
  (_db, value) => sql`
    with everyone as (
      select from event_streams
      where user_id = ${sql.lit(EVERYONE)} and exists (select from event_outbox)
      for no key update skip locked
    ),
    waiting as (
      select distinct user_id from (
        select user_id from event_outbox order by seq limit ${value('limit')}
      ) as next
      where exists (select from everyone)
    ),
    created as (
      insert into event_streams (user_id)
      select user_id from waiting
      where not exists (select from event_streams where event_streams.user_id = waiting.user_id)
      order by user_id
      on conflict do nothing
      returning user_id
    ),
    locked as (
      select user_id from event_streams where user_id in (select user_id from waiting)
      order by user_id
      for no key update skip locked
    )
    select user_id from created union all select user_id from locked`,
)

/** On the sandbox clock of its user, if there is one. */
const happenedAt = sql`case when taken.is_dated then taken.occurred_at
  else greatest(taken.occurred_at, ${clockOf(sql.ref<string>('taken.user_id'))}) end`

/**
 * Takes the next events of these users out of the outbox and gives them the positions that follow. A statement of its
 * own, so that its snapshot is younger than the locks: it sees everything that the previous holders of the streams have
 * done.
 */
const numberEvents = prepared<{ userIds: string[]; limit: number }, NumberedEvents>(
  'number_events',
  (_db, value) => sql`
    with taken as (
      delete from event_outbox
      where seq in (
        select seq from event_outbox where user_id = any(${value('userIds')}::uuid[])
        order by seq limit ${value('limit')})
      returning *
    ),
    -- The order in which they were written: a transaction that follows another one writes greater numbers.
    numbered as (
      select taken.*, ${happenedAt} as happened_at, stream.last + row_number() over (partition by taken.user_id order by taken.seq) as position,
        everyone.last + row_number() over (order by taken.seq) as global_position
      from taken
      join event_streams as stream on stream.user_id = taken.user_id
      join event_streams as everyone on everyone.user_id = ${sql.lit(EVERYONE)}
    ),
    -- Ids are UUIDv7 (https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7) whose last digits are a random number
    -- plus seq. One random number for all, because each costs 3 µs.
    batch as materialized (
      select lpad(to_hex(floor(extract(epoch from statement_timestamp()) * 1000)::bigint), 12, '0') as time,
        substr(random::text, 16, 9) as random, ('x0' || right(random::text, 11))::bit(48)::bigint * 8 as random_end
      from gen_random_uuid() as random
    ),
    stream as (
      update event_streams set last = ended.last
      from (
        select user_id, max(position) as last from numbered group by user_id
        union all
        select ${sql.lit(EVERYONE)}, max(global_position) from numbered having count(*) > 0) as ended
      where event_streams.user_id = ended.user_id
    ),
    event as (
      insert into events
        (user_id, position, global_position, id, type, occurred_at, numbered_at, post_id, account_ids, data)
      select user_id, position, global_position,
        (substr(time, 1, 8) || '-' || substr(time, 9, 4) || '-7' || random
          || lpad(to_hex(random_end + seq), 12, '0'))::uuid,
        type, happened_at, statement_timestamp(), post_id, account_ids, data
      from numbered, batch
      order by global_position
      returning id, user_id, type, account_ids, data
    ),
    -- A search finds a post soon after its event.
    due as (
      insert into post_words_due (user_id, post_id)
      select user_id, post_id from numbered
      where type in ('post.created', 'post.updated') and post_id is not null
      order by seq
    ),
    queued as (${queueForWebhooks('event')})
    select count(*) as count,
      coalesce(extract(epoch from statement_timestamp() - min(occurred_at)), 0)::float8 as lag_seconds
    from taken`,
)

interface NumberedEvents {
  count: number
  /** How long the oldest of them has waited. */
  lagSeconds: number
}

/**
 * Gives positions to events of the outbox: one in the stream of the user, and one in that of all users. Readers see
 * events with a position alone. These transactions run one after the other. No event ever appears before one that a
 * reader has passed.
 */
export function sequenceEvents(db: Db): Promise<NumberedEvents> {
  return db.transaction().execute(async (db) => {
    const streams = await lockStreams(db, { limit: BATCH_MAX })
    if (streams.length === 0) return { count: 0, lagSeconds: 0 }
    const userIds = streams.map(({ userId }) => userId)
    const [numbered] = await numberEvents(db, { userIds, limit: BATCH_MAX })
    return numbered!
  })
}

/** Seconds since the oldest event without a position was written; null if every event has one. */
export async function readUnsequencedSeconds(db: Db): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from clock_timestamp() - occurred_at)::float8 as seconds
    from event_outbox order by seq limit 1`.execute(db)
  return rows[0]?.seconds ?? null
}
