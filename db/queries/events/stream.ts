import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../client.ts'
import { NO_ID } from '../../id.ts'
import { prepared } from '../../prepared.ts'

/** The id of the stream of all users in `event_streams`: no user has it. */
export const EVERYONE = NO_ID

/** The events of a user, or of all users: their condition, and the column that has their order. */
interface Stream {
  isOwn: RawBuilder<boolean>
  place: RawBuilder<number>
  /** In `event_streams`. */
  id: RawBuilder<string>
}

const streamOf = (userId: string): Stream => ({
  isOwn: sql`events.user_id = ${userId}::uuid`,
  place: sql`events.position`,
  id: sql`${userId}::uuid`,
})

const STREAM_OF_EVERYONE: Stream = {
  // The index has events of development versions too, which have no place.
  isOwn: sql`events.global_position is not null`,
  place: sql`events.global_position`,
  id: sql.lit(EVERYONE),
}

export const findStream = (userId: string | null): Stream => (userId === null ? STREAM_OF_EVERYONE : streamOf(userId))

type Value<P> = <K extends keyof P & string>(key: K) => P[K]

/** `prepared` for a statement on the events of a user, or of all users where `userId` is null. */
export function preparedInStream<P extends { userId: string | null }, R>(
  name: string,
  build: (stream: Stream, value: Value<P>) => RawBuilder<R>,
): (db: Db, values: P) => Promise<R[]> {
  const ofUser = prepared<P, R>(name, (_db, value) => build(streamOf(value('userId')!), value))
  const ofEveryone = prepared<P, R>(`${name}_of_everyone`, (_db, value) => build(STREAM_OF_EVERYONE, value))
  return (db, values) => (values.userId === null ? ofEveryone : ofUser)(db, values)
}
