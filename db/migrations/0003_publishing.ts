import { type Kysely, sql } from 'kysely'

/** What becomes of a post on each of its accounts, and what it takes to send it there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('accounts')
    // The network's own name for it, which stays when the handle changes.
    .addColumn('external_id', 'text')
    // {code, message, since}: why nothing can be sent until its owner does something about it.
    .addColumn('attention', 'jsonb')
    // Before then, nothing is sent: one delivery is under way, or the network wants to be left alone.
    .addColumn('available_at', 'timestamptz')
    .execute()
  await sql`
    create unique index accounts_external_id on accounts (user_id, platform, external_id)
    where disconnected_at is null`.execute(db)

  await db.schema
    .createTable('account_credentials')
    .addColumn('account_id', 'uuid', (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
    // Which of the operator's keys has wrapped `data_key`.
    .addColumn('key_id', 'text', (c) => c.notNull())
    .addColumn('data_key', 'bytea', (c) => c.notNull())
    .addColumn('data', 'bytea', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
    .execute()

  await db.schema
    .alterTable('post_targets')
    // The account's, so that what is due on one network is found without looking at the others.
    .addColumn('platform', 'text')
    .addColumn('state', 'text', (c) =>
      c
        .notNull()
        .defaultTo('waiting')
        .check(sql`state in ('waiting', 'queued', 'publishing', 'published', 'failed', 'unconfirmed', 'missed')`),
    )
    // The same for every attempt, of this delivery and no other.
    .addColumn('token', 'uuid', (c) => c.notNull().defaultTo(sql`gen_random_uuid()`))
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    // In a row, since something was last sent or its owner asked for another attempt.
    .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('due_at', 'timestamptz')
    // When a worker may take it: the next attempt of what is queued, the end of the lease of what is being published.
    .addColumn('claimable_at', 'timestamptz')
    .addColumn('lease_token', 'uuid')
    // The number of the act whose call may be on its way, or may have been carried out.
    .addColumn('intent', 'integer')
    .addColumn('intended_at', 'timestamptz')
    // [{id, url}], act by act: the post or the parts of the thread, then the first comment.
    .addColumn('sent', 'jsonb', (c) => c.notNull().defaultTo(sql`'[]'`))
    // From when the names of what is sent are made, where a network lets its clients name things.
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
    // When the call that people see was about to be made; null where it did not come to that.
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
  // How often an account was written to lately, which networks limit.
  await db.schema
    .createIndex('delivery_attempts_intended_at')
    .on('delivery_attempts')
    .columns(['account_id', 'intended_at'])
    .execute()

  // What the sandbox was sent, in order.
  await db.schema
    .createTable('sandbox_calls')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('account_id', 'uuid', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('token', 'uuid', (c) => c.notNull())
    .addColumn('accepted', 'boolean', (c) => c.notNull())
    // What it was made to answer, such as rate_limited; null where it answered as it should.
    .addColumn('fault', 'text')
    .addColumn('content', 'jsonb', (c) => c.notNull())
    .addColumn('received_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
    .execute()
  await db.schema.createIndex('sandbox_calls_account_id').on('sandbox_calls').columns(['account_id', 'id']).execute()
  await db.schema.createIndex('sandbox_calls_token').on('sandbox_calls').column('token').execute()
}
