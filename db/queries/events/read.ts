import { sql } from 'kysely'
import type { Event, EventType } from '../../../schemas/event.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { isoTime } from '../iso-time.ts'
import { concernsOrganization } from './organization.ts'
import { findStream, preparedInStream } from './stream.ts'

export interface EventRow {
  id: string
  userId: string
  position: number
  type: string
  timestamp: string
  postId: string | null
  accountIds: string[] | null
  data: Record<string, unknown>
}

/** The events that a reader may see and wants to see. Null does not restrict. */
export interface EventConditions {
  /** Null for the events of all users. */
  userId: string | null
  types: readonly string[] | null
  postId: string | null
  accountId: string | null
  /** The accounts that the key may use: all accounts of an event have to be among them. */
  listedAccountIds: readonly string[] | null
  /** The organisation whose accounts they concern. */
  organizationId?: string | null
}

const columns = sql`id, user_id, position, type, ${isoTime('occurred_at')} as timestamp, post_id, account_ids, data`

const isWanted = (value: <K extends keyof EventConditions & string>(key: K) => EventConditions[K]) => sql`
  (${value('types')}::text[] is null or type = any(${value('types')}::text[]))
  and (${value('postId')}::uuid is null or post_id = ${value('postId')}::uuid)
  and (${value('accountId')}::uuid is null or ${value('accountId')}::uuid = any(account_ids))
  and (${value('listedAccountIds')}::uuid[] is null
    or (account_ids is not null and account_ids <@ ${value('listedAccountIds')}::uuid[]))
  and (${value('organizationId')}::uuid is null
    or ${concernsOrganization(sql`account_ids`, sql`${value('organizationId')}::uuid`)})`

/** How many events one page looks at. A page may be shorter than its limit if others do not meet the conditions. */
const WINDOW = 1_000

interface EventPage {
  events: EventRow[]
  /** The last place that the page has looked at: `after` if there is no event after it. */
  last: number
  /** The id of the event there. Null if no event follows `after`. */
  lastId: string | null
}

/**
 * The next events after `after` that meet the conditions, at most `limit`, among the next `WINDOW` events of the
 * stream. The last row is the one that the page ends at, wanted or not.
 */
const selectPage = preparedInStream<
  EventConditions & { after: number; limit: number },
  EventRow & { place: number; isWanted: boolean }
>(
  'list_events',
  ({ isOwn, place }, value) => sql`
    with seen as materialized (
      select *, ${place} as place from events
      where ${isOwn} and ${place} > ${value('after')}::bigint
      order by ${place} limit ${sql.lit(WINDOW)}
    ),
    wanted as (
      select * from seen where ${isWanted(value)} order by place limit ${value('limit')}
    )
    select ${columns}, place, true as is_wanted from wanted
    union all
    select ${columns}, place, false as is_wanted from seen
    where place = (select max(place) from seen) and (select count(*) from wanted) < ${value('limit')}::integer
      and not exists (select from wanted where wanted.place = seen.place)
    order by place`,
)

export async function listEvents(
  db: Db,
  values: EventConditions & { after: number; limit: number },
): Promise<EventPage> {
  const rows = await selectPage(db, values)
  const end = rows.at(-1)
  const events = rows.filter(({ isWanted }) => isWanted)
  return { events, last: end?.place ?? values.after, lastId: end?.id ?? null }
}

/** An event of the user, or of any user. Undefined if the id is unknown, or if the event is no longer kept. */
export async function findEvent(
  db: Db,
  values: Pick<EventConditions, 'userId' | 'types' | 'listedAccountIds'> & { id: string },
): Promise<EventRow | undefined> {
  const given = { postId: null, accountId: null, organizationId: null, ...values }
  const { rows } = await sql<EventRow>`
    select ${columns} from events
    where id = ${values.id} and ${findStream(values.userId).isOwn} and ${isWanted((key) => given[key])}`.execute(db)
  return rows[0]
}

/** The first and the last place of a stream. */
interface StreamBounds {
  /** The position of the oldest event that is kept; `last + 1` if none is. */
  first: number
  /** The greatest position; 0 before the first event. */
  last: number
  /** The id of the event at `after`; null if it is no longer kept. */
  afterId: string | null
}

const selectBounds = preparedInStream<{ userId: string | null; after: number | null }, StreamBounds>(
  'read_event_bounds',
  ({ isOwn, place, id }, value) => sql`
    select coalesce((select ${place} from events where ${isOwn} order by ${place} limit 1), stream.last + 1) as first,
      stream.last,
      (select events.id from events where ${isOwn} and ${place} = ${value('after')}::bigint) as after_id
    from (select coalesce((select last from event_streams where user_id = ${id}), 0) as last) as stream`,
)

export const readBounds = async (
  db: Db,
  values: { userId: string | null; after: number | null },
): Promise<StreamBounds> => (await selectBounds(db, values))[0]!

/** The greatest places of streams. Users without events have none. */
export const readLastPlaces = prepared<{ streamIds: string[] }, { streamId: string; last: number }>(
  'read_last_event_places',
  (_db, value) => sql`
    select user_id as stream_id, last from event_streams where user_id = any(${value('streamIds')}::uuid[])`,
)

/**
 * The place before the first event that was numbered at `from` or later. A binary search, because numbers and times
 * increase together. The events of a deleted user leave gaps in the stream of all users.
 */
export async function findPlaceBefore(
  db: Db,
  { userId, from, first, last }: { userId: string | null; from: Date } & Pick<StreamBounds, 'first' | 'last'>,
): Promise<number> {
  const { isOwn, place } = findStream(userId)
  const { rows } = await sql<{ place: number }>`
    with recursive search(low, high) as (
      select ${first}::bigint, ${last}::bigint + 1
      union all
      select case when event.numbered_at < ${from}::timestamptz then middle + 1 else low end,
        case when event.numbered_at < ${from}::timestamptz then high else middle end
      from search
      cross join lateral (select (low + high) / 2 as middle) as half
      left join lateral (
        select numbered_at from events where ${isOwn} and ${place} >= middle order by ${place} limit 1) as event on true
      where low < high
    )
    select low - 1 as place from search where low = high`.execute(db)
  return rows[0]?.place ?? first - 1
}

/** An event as the interface has it. `hasUser`: for readers of the events of all users. */
export function toEvent(row: EventRow, hasUser: boolean): Event {
  const { id, userId, type, timestamp, position, postId, accountIds, data } = row
  const isPost = type.startsWith('post.')
  const ids = {
    ...(postId !== null && { postId }),
    ...(accountIds && (isPost ? { accountIds } : { accountId: accountIds[0] })),
  }
  const head = { id, type: type as EventType, timestamp, ...(hasUser && { userId }), position }
  return { ...head, data: { ...ids, ...data } } as Event
}
