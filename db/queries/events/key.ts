import { sql } from 'kysely'
import type { EventType } from '../../../schemas/event.ts'
import { type Actor, actorJson } from './actor.ts'

/** Inserts an event about each of the keys in `key`, which has their columns. */
export const insertKeyEvents = (key: string, type: Extract<EventType, `key.${string}`>, { keyId }: Actor) => sql`
  insert into event_outbox (user_id, type, data)
  select user_id, ${type}, jsonb_strip_nulls(jsonb_build_object(
    'keyId', id, 'name', name, 'replaces', replaces, 'actor', ${actorJson(keyId)}))
  from ${sql.table(key)}`
