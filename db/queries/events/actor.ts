import { type Expression, sql } from 'kysely'

/** Who changes something. */
export interface Actor {
  /** The key of the request; null for the operator. */
  keyId: string | null
}

/** The property `actor` of an event; null for the operator. */
export const actorJson = (keyId: string | null | Expression<string | null>) =>
  sql`case when ${keyId}::text is not null then jsonb_build_object('keyId', ${keyId}::text) end`
