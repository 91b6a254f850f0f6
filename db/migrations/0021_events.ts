import { type Kysely, sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * Events: what became true, for programs that would otherwise poll. Most are written by triggers and not by each statement,
 * because there are many statements that change a delivery, and processes of the previous version run them too.
 */
export const steps: Step[] = [
  async (db) => {
    // Events without a position. Transactions insert them here, and the sequencer moves them to `events`.
    await db.schema
      .createTable('event_outbox')
      .addColumn('seq', 'bigint', (c) => c.primaryKey().generatedAlwaysAsIdentity())
      // No foreign key: its check would cost as much as the row.
      .addColumn('user_id', 'uuid', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('occurred_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`clock_timestamp()`))
      .addColumn('post_id', 'uuid')
      // The accounts that a key must be allowed to use to see the event.
      .addColumn('account_ids', sql`uuid[]`)
      .addColumn('data', 'jsonb', (c) => c.notNull())
      .execute()
    // A queue: most of its rows are dead.
    await sql`alter table event_outbox set (autovacuum_vacuum_scale_factor = 0.01)`.execute(db)

    await db.schema
      .createTable('event_streams')
      .addColumn('user_id', 'uuid', (c) => c.primaryKey())
      // The greatest position that is given. Positions of a user begin at 1 and have no gaps.
      .addColumn('last', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
    // Half of each page stays free for updates in place, because the rows change all the time.
    await sql`alter table event_streams set (fillfactor = 50)`.execute(db)

    await db.schema
      .createTable('events')
      .addColumn('user_id', 'uuid', (c) => c.notNull())
      .addColumn('position', 'bigint', (c) => c.notNull())
      // UUIDv7 of the time at which the event got its position.
      .addColumn('id', 'uuid', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('occurred_at', 'timestamptz', (c) => c.notNull())
      .addColumn('numbered_at', 'timestamptz', (c) => c.notNull())
      .addColumn('post_id', 'uuid')
      .addColumn('account_ids', sql`uuid[]`)
      .addColumn('data', 'jsonb', (c) => c.notNull())
      .addPrimaryKeyConstraint('events_pkey', ['user_id', 'position'])
      .execute()
    await db.schema.createIndex('events_id').on('events').column('id').unique().execute()
    await sql`alter table events set (autovacuum_vacuum_scale_factor = 0.01)`.execute(db)
  },
  (db) =>
    sql`
      alter table accounts
        -- Of which credentials_expire_at, and how many days before it, account.expiring was last written.
        add column expiry_announced_for timestamptz,
        add column expiry_announced_days smallint`.execute(db),
  (db) => sql`alter table api_keys add column expiry_announced_at timestamptz`.execute(db),
  concurrentIndex(
    'accounts_credentials_expire_at',
    sql`accounts (credentials_expire_at) where credentials_expire_at is not null and disconnected_at is null`,
  ),
  concurrentIndex(
    'api_keys_expires_at',
    sql`api_keys (expires_at) where expires_at is not null and revoked_at is null`,
  ),
  createEventFunctions,
  deliveryTriggers,
  accountTriggers,
  keyTriggers,
]

async function createEventFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function api_time(at timestamptz) returns text language sql stable as $$
      select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    $$`.execute(db)
  // The key whose request the transaction serves: see lock_post. Absent for the operator and for workers.
  await sql`
    create function event_actor() returns jsonb language sql stable as $$
      select jsonb_build_object('keyId', nullif(current_setting('postroom.key_id', true), ''))
      where nullif(current_setting('postroom.key_id', true), '') is not null
    $$`.execute(db)
}

/**
 * The type of event that the change from `before` to `after` causes. Null where the owner learns nothing: a lease, an intent,
 * a later part of a thread, another attempt, a draft. A change from the state `publishing` is made by a worker.
 */
const DELIVERY_EVENT = sql`
  case
    when before.state = 'publishing' and before.published_at is null and after.published_at is not null
      then 'delivery.published'
    when after.state in ('waiting', 'publishing') then null
    when after.state = 'queued' then
      case when before.state in ('published', 'failed', 'unconfirmed', 'missed') then 'delivery.retried' end
    when before.state = after.state and before.error is not distinct from after.error then null
    when before.state = 'queued' and after.error ->> 'code' = 'cancelled' then 'delivery.cancelled'
    when before.state <> 'publishing' and (after.state = 'published' or before.state = 'unconfirmed')
      then 'delivery.resolved'
    when after.state = 'published' then case when after.error is not null then 'delivery.failed' end
    else 'delivery.' || after.state
  end`

async function deliveryTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function write_delivery_events() returns trigger language plpgsql as $$
    begin
      -- Most updates take a lease or store an intent, and end here.
      if not exists (select from changed where state not in ('waiting', 'publishing') or published_at is not null) then
        return null;
      end if;

      -- Of two transactions that end the last two deliveries of a post, each would see the other one open.
      perform from posts
      where (user_id, id) in (
        select user_id, post_id from changed
        where state in ('published', 'failed', 'unconfirmed', 'missed') and exists (
          select from post_targets as other
          where other.user_id = changed.user_id and other.post_id = changed.post_id
            and other.account_id <> changed.account_id))
      order by user_id, id
      for no key update;

      -- Events of deliveries come first, because seq is the order of events.
      insert into event_outbox (user_id, type, post_id, account_ids, data)
      with change as materialized (
        select after.*, ${DELIVERY_EVENT} as type,
          before.state in ('waiting', 'queued', 'publishing')
            and after.state in ('published', 'failed', 'unconfirmed', 'missed') as is_ended,
          posts.external_reference, posts.metadata, posts.scheduled_at
        from changed as after
        join previous as before
          on before.user_id = after.user_id and before.post_id = after.post_id and before.account_id = after.account_id
        join posts on posts.user_id = after.user_id and posts.id = after.post_id
      )
      select event.user_id, event.type, event.post_id, array[event.account_id], jsonb_strip_nulls(jsonb_build_object(
        'platform', event.platform,
        'username', accounts.username,
        'externalReference', event.external_reference,
        'metadata', event.metadata,
        'state', event.state,
        'scheduledAt', api_time(event.scheduled_at),
        'publishedAt', api_time(event.published_at),
        'externalId', event.sent -> 0 ->> 'id',
        'externalUrl', event.sent -> 0 ->> 'url',
        -- An act that was left out is in sent with its error, and is also the error of the delivery.
        'acts', case when event.error is null then jsonb_array_length(event.sent)
          else (select count(*) from jsonb_array_elements(event.sent) as act where not act ? 'error') end,
        'attempt', event.attempts,
        'error', event.error,
        'latenessMs', case when event.type = 'delivery.published' and event.due_at is not null
          then greatest(0, round(extract(epoch from event.published_at - event.due_at) * 1000)) end,
        'intendedAt', case when event.type = 'delivery.unconfirmed' then api_time(event.intended_at) end,
        'outcome', case when event.type = 'delivery.resolved' then event.state end,
        'actor', case when event.type in ('delivery.resolved', 'delivery.retried', 'delivery.cancelled')
          then event_actor() end))
      from change as event
      join accounts on accounts.id = event.account_id
      where event.type is not null
      union all
      select ended.user_id, 'post.settled', ended.post_id, delivery.account_ids, jsonb_strip_nulls(jsonb_build_object(
        'externalReference', ended.external_reference,
        'metadata', ended.metadata,
        'scheduledAt', api_time(ended.scheduled_at),
        'deliveries', jsonb_build_object(
          'published', nullif(delivery.published, 0),
          'failed', nullif(delivery.failed, 0),
          'cancelled', nullif(delivery.cancelled, 0),
          'unconfirmed', nullif(delivery.unconfirmed, 0),
          'missed', nullif(delivery.missed, 0))))
      from (select distinct on (user_id, post_id) * from change where is_ended) as ended
      cross join lateral (
        select array_agg(account_id order by position, account_id) as account_ids,
          bool_or(state in ('waiting', 'queued', 'publishing')) as is_open,
          count(*) filter (where state = 'published') as published,
          count(*) filter (where state = 'failed' and error ->> 'code' is distinct from 'cancelled') as failed,
          count(*) filter (where state = 'failed' and error ->> 'code' = 'cancelled') as cancelled,
          count(*) filter (where state = 'unconfirmed') as unconfirmed,
          count(*) filter (where state = 'missed') as missed
        from post_targets
        where user_id = ended.user_id and post_id = ended.post_id
      ) as delivery
      where not delivery.is_open;
      return null;
    end $$`.execute(db)
  // For each statement: workers settle many deliveries in one.
  await sql`
    create trigger post_targets_write_events after update on post_targets
    referencing old table as previous new table as changed
    for each statement execute function write_delivery_events()`.execute(db)
}

/** An event of an account goes to everybody who may use the account at the time. */
async function accountTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function write_account_event() returns trigger language plpgsql as $$
    declare
      event_type text := case
        when tg_op = 'INSERT' or (old.disconnected_at is not null and new.disconnected_at is null)
          then 'account.connected'
        when new.disconnected_at is not null and old.disconnected_at is null then 'account.disconnected'
        when new.disconnected_at is not null then null
        when new.attention is not null then 'account.reconnect_required'
        else 'account.connected'
      end;
    begin
      if event_type is null then
        return null;
      end if;
      insert into event_outbox (user_id, type, account_ids, data)
      select reader.user_id, event_type, array[new.id], jsonb_strip_nulls(jsonb_build_object(
        'platform', new.platform,
        'username', new.username,
        'externalReference', new.external_reference,
        'metadata', new.metadata,
        'reason', case when event_type = 'account.reconnect_required' then new.attention ->> 'code' end))
      from (
        select new.user_id union select user_id from memberships where organization_id = new.organization_id
      ) as reader;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger accounts_write_connected after insert on accounts
    for each row execute function write_account_event()`.execute(db)
  await sql`
    create trigger accounts_write_changes after update on accounts for each row
    when (old.disconnected_at is distinct from new.disconnected_at
      or old.attention ->> 'code' is distinct from new.attention ->> 'code')
    execute function write_account_event()`.execute(db)
}

async function keyTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function write_key_event() returns trigger language plpgsql as $$
    begin
      insert into event_outbox (user_id, type, data)
      values (
        new.user_id,
        case when tg_op = 'UPDATE' then 'key.revoked' when new.replaces is null then 'key.created' else 'key.rotated' end,
        jsonb_strip_nulls(jsonb_build_object(
          'keyId', new.id, 'name', new.name, 'replaces', new.replaces, 'actor', event_actor())));
      return null;
    end $$`.execute(db)
  await sql`
    create trigger api_keys_write_created after insert on api_keys
    for each row execute function write_key_event()`.execute(db)
  await sql`
    create trigger api_keys_write_revoked after update on api_keys for each row
    when (old.revoked_at is null and new.revoked_at is not null)
    execute function write_key_event()`.execute(db)
}
