import { type Kysely, sql } from 'kysely'

/**
 * Ids are UUIDv7 that the service generates. In every table of posts, the primary key starts with `user_id`: the key serves
 * the list, newest first, and the data can be sharded by user.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const now = sql`now()`

  await db.schema
    .createTable('users')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(now))
    .execute()

  await db.schema
    .createTable('organizations')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(now))
    .execute()

  await db.schema
    .createTable('memberships')
    .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('organization_id', 'uuid', (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('member', 'admin')`))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(now))
    .addPrimaryKeyConstraint('memberships_pkey', ['user_id', 'organization_id'])
    .execute()
  await db.schema.createIndex('memberships_organization_id').on('memberships').column('organization_id').execute()

  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text')
    .addColumn('hash', 'bytea', (c) => c.notNull().unique())
    .addColumn('start', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'timestamptz')
    .addColumn('revoked_at', 'timestamptz')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(now))
    .execute()
  await db.schema.createIndex('api_keys_user_id').on('api_keys').column('user_id').execute()

  await db.schema
    .createTable('accounts')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('platform', 'text', (c) => c.notNull())
    .addColumn('username', 'text', (c) => c.notNull())
    .addColumn('display_name', 'text')
    .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('organization_id', 'uuid', (c) => c.references('organizations.id').onDelete('set null'))
    .addColumn('disconnected_at', 'timestamptz')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(now))
    .execute()
  await db.schema.createIndex('accounts_user_id').on('accounts').column('user_id').execute()
  await db.schema.createIndex('accounts_organization_id').on('accounts').column('organization_id').execute()

  await db.schema
    .createTable('media')
    .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('id', 'uuid', (c) => c.notNull())
    .addColumn('mime_type', 'text', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('width', 'integer')
    .addColumn('height', 'integer')
    .addColumn('duration_seconds', 'double precision')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(now))
    .addPrimaryKeyConstraint('media_pkey', ['user_id', 'id'])
    .execute()

  await db.schema
    .createTable('posts')
    .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('id', 'uuid', (c) => c.notNull())
    .addColumn('caption', 'text', (c) => c.notNull())
    .addColumn('first_comment', 'text')
    .addColumn('post_type', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull().check(sql`status in ('draft', 'scheduled', 'published')`))
    .addColumn('scheduled_at', 'timestamptz')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(now))
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull().defaultTo(now))
    .addPrimaryKeyConstraint('posts_pkey', ['user_id', 'id'])
    .execute()
  // Operator commands name a post by its id alone.
  await db.schema.createIndex('posts_id').on('posts').column('id').execute()

  await db.schema
    .createTable('post_targets')
    .addColumn('user_id', 'uuid', (c) => c.notNull())
    .addColumn('post_id', 'uuid', (c) => c.notNull())
    .addColumn('account_id', 'uuid', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('caption_override', 'text')
    .addColumn('fields', 'jsonb')
    .addColumn('thread_parts', 'jsonb')
    .addPrimaryKeyConstraint('post_targets_pkey', ['user_id', 'post_id', 'account_id'])
    .addForeignKeyConstraint('post_targets_post', ['user_id', 'post_id'], 'posts', ['user_id', 'id'], (fk) =>
      fk.onDelete('cascade'),
    )
    .execute()

  await db.schema.createIndex('post_targets_account_id').on('post_targets').column('account_id').execute()

  await db.schema
    .createTable('post_media')
    .addColumn('user_id', 'uuid', (c) => c.notNull())
    .addColumn('post_id', 'uuid', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('media_id', 'uuid', (c) => c.notNull())
    .addPrimaryKeyConstraint('post_media_pkey', ['user_id', 'post_id', 'position'])
    .addForeignKeyConstraint('post_media_post', ['user_id', 'post_id'], 'posts', ['user_id', 'id'], (fk) =>
      fk.onDelete('cascade'),
    )
    .addForeignKeyConstraint('post_media_media', ['user_id', 'media_id'], 'media', ['user_id', 'id'])
    .execute()
  await db.schema.createIndex('post_media_media_id').on('post_media').columns(['user_id', 'media_id']).execute()
}
