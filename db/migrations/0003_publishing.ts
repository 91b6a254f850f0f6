import { type Kysely, sql } from 'kysely'

/** Adds deliveries of posts to accounts, credentials, and the sandbox. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('accounts')
    // The id of the account on its network, which stays the same when the handle changes.
    .addColumn('external_id', 'text')
    // {code, message, since}: why nothing can be published until the owner acts.
    .addColumn('attention', 'jsonb')
    // Until then nothing is sent: a delivery is being published, or the network asked for a pause.
    .addColumn('available_at', 'timestamptz')
    .execute()
  await sql`
    create unique index accounts_external_id on accounts (user_id, platform, external_id)
    where disconnected_at is null`.execute(db)

  await db.schema
    .createTable('account_credentials')
    .addColumn('account_id', 'uuid', (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
    // The operator's key that encrypts `data_key`.
    .addColumn('key_id', 'text', (c) => c.notNull())
    .addColumn('data_key', 'bytea', (c) => c.notNull())
    .addColumn('data', 'bytea', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
    .execute()

  await db.schema
    .alterTable('post_targets')
    // A copy of the account's platform: the index finds due deliveries of one network without reading the others.
    .addColumn('platform', 'text')
    .addColumn('state', 'text', (c) =>
      c
        .notNull()
        .defaultTo('waiting')
        .check(sql`state in ('waiting', 'queued', 'publishing', 'published', 'failed', 'unconfirmed', 'missed')`),
    )
    // Unique to the delivery, and the same for all its attempts.
    .addColumn('token', 'uuid', (c) => c.notNull().defaultTo(sql`gen_random_uuid()`))
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    // Consecutive failures since an act was sent or the owner requested a retry.
    .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('due_at', 'timestamptz')
    // When a worker may claim it: the time of the next attempt if queued, the end of the lease if publishing.
    .addColumn('claimable_at', 'timestamptz')
    .addColumn('lease_token', 'uuid')
    // The number of the act whose call may have been sent, and may have taken effect.
    .addColumn('intent', 'integer')
    .addColumn('intended_at', 'timestamptz')
    // [{id, url}], act by act: the post or the parts of the thread, then the first comment.
    .addColumn('sent', 'jsonb', (c) => c.notNull().defaultTo(sql`'[]'`))
    // The time from which ids are derived, on networks where the client chooses the ids.
    .addColumn('started_at', 'timestamptz')
    .addColumn('published_at', 'timestamptz')
    // {code, message, retryable}
    .addColumn('error', 'jsonb')
    .execute()
  await sql`update post_targets set platform = accounts.platform from accounts where accounts.id = account_id`.execute(
    db,
  )
  await sql`alter table post_targets alter column platform set not null`.execute(db)
  await sql`
    update post_targets set
      state = case posts.status when 'published' then 'published' else 'queued' end,
      due_at = greatest(posts.scheduled_at, posts.created_at),
      claimable_at = case posts.status when 'scheduled' then greatest(posts.scheduled_at, posts.created_at) end
    from posts
    where posts.user_id = post_targets.user_id and posts.id = post_targets.post_id and posts.status <> 'draft'`.execute(
    db,
  )
  await sql`
    create index post_targets_claimable on post_targets (platform, claimable_at) where claimable_at is not null`.execute(
    db,
  )
  await sql`
    create index post_targets_next_of_account on post_targets (account_id, due_at, post_id)
    where claimable_at is not null`.execute(db)

  await db.schema
    .createTable('delivery_attempts')
    .addColumn('user_id', 'uuid', (c) => c.notNull())
    .addColumn('post_id', 'uuid', (c) => c.notNull())
    .addColumn('account_id', 'uuid', (c) => c.notNull())
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('act', 'integer', (c) => c.notNull())
    .addColumn('started_at', 'timestamptz', (c) => c.notNull())
    // When the call that makes the act visible was about to be sent. Null if the attempt ended before.
    .addColumn('intended_at', 'timestamptz')
    .addColumn('finished_at', 'timestamptz')
    .addColumn('outcome', 'text', (c) =>
      c.check(
        sql`outcome in ('published', 'failed', 'unknown', 'found', 'absent', 'said_published', 'said_not_published')`,
      ),
    )
    .addColumn('error', 'jsonb')
    .addPrimaryKeyConstraint('delivery_attempts_pkey', ['user_id', 'post_id', 'account_id', 'number'])
    .addForeignKeyConstraint(
      'delivery_attempts_target',
      ['user_id', 'post_id', 'account_id'],
      'post_targets',
      ['user_id', 'post_id', 'account_id'],
      (fk) => fk.onDelete('cascade'),
    )
    .execute()
  // Counts recent posts of an account, which networks limit.
  await db.schema
    .createIndex('delivery_attempts_intended_at')
    .on('delivery_attempts')
    .columns(['account_id', 'intended_at'])
    .execute()

  // The calls that the sandbox received, in order.
  await db.schema
    .createTable('sandbox_calls')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('account_id', 'uuid', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('token', 'uuid', (c) => c.notNull())
    .addColumn('accepted', 'boolean', (c) => c.notNull())
    // The simulated failure, such as rate_limited. Null for a regular response.
    .addColumn('fault', 'text')
    .addColumn('content', 'jsonb', (c) => c.notNull())
    .addColumn('received_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
    .execute()
  await db.schema.createIndex('sandbox_calls_account_id').on('sandbox_calls').columns(['account_id', 'id']).execute()
  await db.schema.createIndex('sandbox_calls_token').on('sandbox_calls').column('token').execute()
}
