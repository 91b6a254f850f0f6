import { type Expression, type ExpressionBuilder, sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import type { Post, PostStatus } from '../../schemas/post.ts'
import { type Db, prepared } from '../client.ts'
import type { DB } from '../types.ts'
import { reachableBy } from './accounts.ts'
import { isoTime } from './iso-time.ts'
import type { MediaFacts } from './media.ts'

/** A page of the user's posts, newest first: ids are UUIDv7, so the primary key holds them in that order. */
export const listPosts = prepared<{ userId: string; limit: number; offset: number }, Post>('list_posts', (db, value) =>
  db
    .selectFrom('posts')
    .select((eb) => [
      'id',
      'userId',
      'caption',
      'firstComment',
      eb.ref('postType').$castTo<PostType>().as('postType'),
      eb.ref('status').$castTo<PostStatus>().as('status'),
      isoTime<string | null>('scheduledAt').as('scheduledAt'),
      isoTime('createdAt').as('createdAt'),
      isoTime('updatedAt').as('updatedAt'),
    ])
    .where('userId', '=', value('userId'))
    .orderBy('id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

export interface PostSubjects {
  accounts: { id: string; platform: PlatformId; username: string }[]
  media: ({ id: string } & MediaFacts)[]
}

const list = (item: Expression<unknown>) => sql`coalesce(json_agg(${item}), '[]')`.as('list')

/** Of the accounts and media asked for, those that the user may use, in one round trip. Ids have to be UUIDs. */
export const readPostSubjects = prepared<{ userId: string; accountIds: string[]; mediaIds: string[] }, PostSubjects>(
  'read_post_subjects',
  (db, value) =>
    db
      .selectNoFrom((eb) => [
        eb
          .selectFrom('accounts')
          .select((eb) =>
            list(jsonBuildObject({ id: eb.ref('id'), platform: eb.ref('platform'), username: eb.ref('username') })),
          )
          .where('id', '=', sql<string>`any(${value('accountIds')}::uuid[])`)
          .where(reachableBy(value('userId')))
          .as('accounts'),
        eb
          .selectFrom('media')
          .select((eb) =>
            list(
              jsonBuildObject({
                id: eb.ref('id'),
                mimeType: eb.ref('mimeType'),
                bytes: eb.ref('bytes'),
                width: eb.ref('width'),
                height: eb.ref('height'),
                durationSeconds: eb.ref('durationSeconds'),
                fps: eb.ref('fps'),
                frames: eb.ref('frames'),
              }),
            ),
          )
          .where('userId', '=', value('userId'))
          .where('id', '=', sql<string>`any(${value('mediaIds')}::uuid[])`)
          .as('media'),
      ])
      .$castTo<PostSubjects>(),
)

/** A post with everything that hangs on it. The five target lists have one entry for each account, in one order. */
export interface NewPost {
  id: string
  userId: string
  caption: string
  firstComment: string | null
  postType: PostType
  status: PostStatus
  scheduledAt: Date | null
  accountIds: string[]
  platforms: PlatformId[]
  captionOverrides: (string | null)[]
  /** JSON text. */
  fields: (string | null)[]
  /** JSON text. */
  threadParts: (string | null)[]
  /** In order; may hold the same id twice. */
  mediaIds: string[]
}

/** Null for a draft. Whoever asks for the past gets the present. */
const dueAt = (eb: ExpressionBuilder<DB, 'posts'>) =>
  eb
    .case()
    .when('scheduledAt', 'is not', null)
    .then(eb.fn<Date>('greatest', ['scheduledAt', 'createdAt']))
    .end()

/** Writes the whole post in one statement: there is no moment at which a part of it exists. */
export const insertPost = prepared<NewPost, { id: string }>('insert_post', (db, value) =>
  db
    .with('post', (db) =>
      db
        .insertInto('posts')
        .values({
          id: value('id'),
          userId: value('userId'),
          caption: value('caption'),
          firstComment: value('firstComment'),
          postType: value('postType'),
          status: value('status'),
          scheduledAt: value('scheduledAt'),
        })
        .returning((eb) => ['userId', 'id', dueAt(eb).as('dueAt')]),
    )
    .with('targets', (db) =>
      db
        .insertInto('postTargets')
        .columns([
          'userId',
          'postId',
          'accountId',
          'platform',
          'captionOverride',
          'fields',
          'threadParts',
          'state',
          'dueAt',
          'claimableAt',
        ])
        .expression((eb) =>
          eb
            .selectFrom([
              'post',
              sql<{
                accountId: string
                platform: string
                captionOverride: string | null
                fields: string | null
                threadParts: string | null
              }>`
                unnest(${value('accountIds')}::uuid[], ${value('platforms')}::text[],
                  ${value('captionOverrides')}::text[], ${value('fields')}::jsonb[],
                  ${value('threadParts')}::jsonb[])`.as<'target'>(
                sql`target(account_id, platform, caption_override, fields, thread_parts)`,
              ),
            ])
            .select([
              'post.userId',
              'post.id',
              'target.accountId',
              'target.platform',
              'target.captionOverride',
              'target.fields',
              'target.threadParts',
              sql<string>`case when post.due_at is null then 'waiting' else 'queued' end`.as('state'),
              'post.dueAt',
              'post.dueAt as claimableAt',
            ]),
        ),
    )
    .with('attachments', (db) =>
      db
        .insertInto('postMedia')
        .columns(['userId', 'postId', 'position', 'mediaId'])
        .expression((eb) =>
          eb
            .selectFrom([
              'post',
              sql<{ mediaId: string; position: number }>`
                unnest(${value('mediaIds')}::uuid[]) with ordinality`.as<'item'>(sql`item(media_id, position)`),
            ])
            .select(['post.userId', 'post.id', 'item.position', 'item.mediaId']),
        ),
    )
    .selectFrom('post')
    .select('id'),
)

/**
 * Deletes the user's post with all that hangs on it, unless it is published. Gives the status it had, or nothing where
 * the user has no such post. The row is locked first, so that what is decided is what is done.
 */
export const deleteUnpublishedPost = prepared<{ userId: string; id: string }, { status: string }>(
  'delete_unpublished_post',
  (db, value) =>
    db
      .with('found', (db) =>
        db
          .selectFrom('posts')
          .select(['userId', 'id', 'status'])
          .where('userId', '=', value('userId'))
          .where('id', '=', value('id'))
          .forUpdate(),
      )
      .with('deleted', (db) =>
        db
          .deleteFrom('posts')
          .using('found')
          .whereRef('posts.userId', '=', 'found.userId')
          .whereRef('posts.id', '=', 'found.id')
          .where('found.status', '!=', 'published'),
      )
      .selectFrom('found')
      .select('status'),
)

/** Marks any post as published, for an operator. Gives false where there is no such post. */
export async function markPostPublished(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('posts')
    .set({ status: 'published', updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
