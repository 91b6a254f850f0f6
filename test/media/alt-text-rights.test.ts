import { sql } from 'kysely'
import t from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { createWorld } from '../helpers/app.ts'
import { withKey } from '../helpers/mcp.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const LATER = '2999-01-01T00:00:00Z'

async function createScene(t: Parameters<typeof createWorld>[0]) {
  const world = await createWorld(t)
  const ada = await world.user()
  const [account, other] = [await ada.account('x'), await ada.account('mastodon')]
  const media = await ada.media()
  const post = async (accountIds: string[], body: object = {}): Promise<string> =>
    (await ada.call('POST', '/posts', { accountIds, caption: 'a', mediaIds: [media], ...body })).body.id
  const etagOf = async (id: string) => (await ada.call('GET', `/posts/${id}`)).headers.etag
  const altText = async () => (await ada.call('GET', `/media/${media}`)).body.altText
  const events = () => world.db.selectFrom('eventOutbox').select(['type', 'postId', 'data']).orderBy('seq').execute()
  const fail = (id: string) =>
    world.db.updateTable('postTargets').set({ state: 'failed' }).where('postId', '=', id).execute()
  return { ...world, ada, account, other, media, post, etagOf, altText, events, fail }
}

type Scene = Awaited<ReturnType<typeof createScene>>

/** Writes copies of a draft that uses the file. */
async function fillWithPosts(
  { db, media }: Scene,
  { id, count, isPublished }: { id: string; count: number; isPublished: boolean },
) {
  await sql`
    with source as (select * from posts where id = ${id}),
    copy as (
      insert into posts (id, user_id, caption, post_type, status)
      select gen_random_uuid(), user_id, caption, post_type, ${isPublished ? 'published' : 'draft'}
      from source, generate_series(1, ${count}::integer)
      returning id, user_id
    ),
    file as (insert into post_media (user_id, post_id, position, media_id) select user_id, id, 1, ${media} from copy)
    insert into post_targets (user_id, post_id, account_id, position, platform, state, sent)
    select copy.user_id, copy.id, post_targets.account_id, 1, platform,
      ${isPublished ? 'published' : sql`state`}, ${isPublished ? '[{"id":"1"}]' : '[]'}::jsonb
    from copy, post_targets where post_id = ${id}`.execute(db)
}

t.test('the alt text that a post is going to publish is changed only by a key that may publish it', async (t) => {
  const scene = await createScene(t)
  const { ada, account, other, media, post, etagOf, altText, fail } = scene
  const keys = {
    'for drafts': await withKey(scene, ada, { scopes: ['media:write', 'media:read', 'posts:write', 'posts:read'] }),
    'for another account': await withKey(scene, ada, { accountIds: [other] }),
  }
  const refusals = { 'for drafts': [403, 'insufficient_scope'], 'for another account': [404, 'media_not_found'] }
  const scheduled = await post([account], { scheduledAt: LATER })
  const failed = await post([account], { scheduledAt: LATER })
  await fail(failed)
  for (const [name, key] of Object.entries(keys)) {
    const before = await etagOf(scheduled)
    const { status, headers } = await key.call('PATCH', `/media/${media}`, { altText: name })
    t.strictSame([status, headers['x-error-code']], refusals[name as keyof typeof refusals], `a key ${name}`)
    t.strictSame([await altText(), await etagOf(scheduled)], [null, before], 'nothing has changed')
  }
  await ada.call('DELETE', `/posts/${scheduled}`)
  for (const [name, key] of Object.entries(keys)) {
    const { status } = await key.call('PATCH', `/media/${media}`, { altText: name })
    t.equal(status, refusals[name as keyof typeof refusals][0], `a key ${name}: a failed delivery can be retried`)
  }
  t.equal((await ada.call('PATCH', `/media/${media}`, { altText: 'A tower' })).status, 200, 'a key for everything')
  t.equal(await altText(), 'A tower')
  const publisher = await withKey(scene, ada, { accountIds: [account] })
  t.equal((await publisher.call('PATCH', `/media/${media}`, { altText: 'A mast' })).status, 200, 'one that lists it')
})

t.test('a changed alt text changes the version of each post that may publish it, and an event says so', async (t) => {
  const { ada, account, media, post, etagOf, events, db } = await createScene(t)
  const [draft, scheduled] = [await post([account]), await post([account], { scheduledAt: LATER })]
  const [unrelated, published] = [await post([account], { mediaIds: [] }), await post([account])]
  await db.updateTable('posts').set({ status: 'published' }).where('id', '=', published).execute()
  await db
    .updateTable('postTargets')
    .set({ state: 'published', sent: '[{"id":"1"}]' })
    .where('postId', '=', published)
    .execute()
  const posts = [draft, scheduled, unrelated, published]
  const before = await Promise.all(posts.map(etagOf))
  const written = (await events()).length
  t.equal((await ada.call('PATCH', `/media/${media}`, { altText: 'A tower' })).status, 200)
  const after = await Promise.all(posts.map(etagOf))
  t.strictSame(
    after.map((etag, index) => etag === before[index]),
    [false, false, true, true],
  )
  t.strictSame(
    (await events()).slice(written).map(({ type, postId, data }) => [type, postId, (data as { changed: [] }).changed]),
    [draft, scheduled].map((id) => ['post.updated', id, ['altText']]),
  )
  const stale = await ada.call('POST', `/posts/${draft}/publish`, undefined, { 'if-match': String(before[0]) })
  t.equal(stale.status, 412, 'who has approved another text does not publish this one')
  await ada.call('PATCH', `/media/${media}`, { altText: 'A tower' })
  t.strictSame(await Promise.all(posts.map(etagOf)), after, 'the same text again changes nothing')
})

t.test('a key that may not publish changes the alt text of drafts', async (t) => {
  const scene = await createScene(t)
  const { ada, account, media, post, altText } = scene
  await post([account])
  const author = await withKey(scene, ada, { scopes: ['media:write', 'media:read'] })
  t.equal((await author.call('PATCH', `/media/${media}`, { altText: 'A tower' })).status, 200)
  t.equal(await altText(), 'A tower')
})

t.test('the same bytes with another alt text change nothing of a file that is there', async (t) => {
  const { app, db, ada, account } = await createScene(t)
  const image = await jpeg()
  const { body: file } = await upload(app, ada, [
    ['file', image],
    ['altText', 'A tower'],
  ])
  await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [file.id], scheduledAt: LATER })
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: ['media:write'] })
  const { status, body } = await upload(app, { key }, [
    ['file', image],
    ['altText', 'Another'],
  ])
  t.strictSame([status, body], [200, file])
})

t.test('a key that may not publish deletes no file that a failed delivery would need', async (t) => {
  const scene = await createScene(t)
  const { ada, account, other, media, post, fail, db } = scene
  const id = await post([account], { scheduledAt: LATER })
  await fail(id)
  await db.updateTable('posts').set({ status: 'published' }).where('id', '=', id).execute()
  const author = await withKey(scene, ada, { scopes: ['media:write'] })
  const limited = await withKey(scene, ada, { accountIds: [other] })
  t.equal((await author.call('DELETE', `/media/${media}`)).status, 403)
  t.equal((await limited.call('DELETE', `/media/${media}`)).status, 404)
  t.strictSame((await ada.call('GET', `/posts/${id}`)).body.mediaIds, [media])
  t.equal((await ada.call('DELETE', `/media/${media}`)).status, 200)
})

t.test(
  'the alt text of a file that thousands of published posts use is changed, without waiting for their deliveries',
  async (t) => {
    const scene = await createScene(t)
    const { ada, account, media, post, altText, db } = scene
    const id = await post([account])
    await fillWithPosts(scene, { id, count: 5000, isPublished: true })
    await db.transaction().execute(async (transaction) => {
      await sql`select from post_targets where state = 'published' for update`.execute(transaction)
      t.equal((await ada.call('PATCH', `/media/${media}`, { altText: 'A tower' })).status, 200)
    })
    t.equal(await altText(), 'A tower')
  },
)

t.test('an alt text that too many posts may still publish is not changed', async (t) => {
  const scene = await createScene(t)
  const { ada, account, media, post, altText, etagOf, db } = scene
  const id = await post([account])
  const before = await etagOf(id)
  await fillWithPosts(scene, { id, count: 2000, isPublished: false })
  const { status, headers, body } = await ada.call('PATCH', `/media/${media}`, { altText: 'A tower' })
  t.strictSame([status, headers['x-error-code']], [409, 'media_in_too_many_posts'])
  t.match(body.error, /^More than 2000 deliveries/)
  t.strictSame([await altText(), await etagOf(id)], [null, before], 'nothing has changed')
  await db.deleteFrom('posts').where('id', '<>', id).execute()
  t.equal((await ada.call('PATCH', `/media/${media}`, { altText: 'A tower' })).status, 200)
})
