import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { DAY_MS, sweepNow } from '../helpers/sweeps.ts'
import { untilBlocked } from '../helpers/until.ts'
import { filesIn, jpeg, upload } from '../helpers/upload.ts'

async function createScene(t: Test) {
  const world = await createDeliveryWorld(t, { bluesky: scriptedNetwork('exactly-once') })
  const { ada, app, mediaDir, db, time } = world
  const account = await world.connectAccount('bluesky')
  const file = async (shade: number) => (await upload(app, ada, [['file', await jpeg(40, 30, shade)]])).body.id
  const ids = async () => (await ada.call('GET', '/media')).body.data.map(({ id }: { id: string }) => id)
  const sweep = async (retention = {}) =>
    (await sweepNow(world, { retention: { unusedMediaMs: 30 * DAY_MS, ...retention } }))?.media
  /** Lets `days` pass for files, which only the database's clock ages. */
  const wait = (days: number) =>
    sql`
      update media set created_at = created_at - make_interval(days => ${days}),
        last_used_at = last_used_at - make_interval(days => ${days})`.execute(db)
  // Ids of today count as old: only the times in the rows decide.
  time.now = new Date(time.now.getTime() + DAY_MS)
  const sweepLater = (retention?: object) => {
    time.now = new Date(Math.max(time.now.getTime(), Date.now() + 31 * DAY_MS))
    return sweep(retention)
  }
  return { ...world, account, file, ids, sweep, sweepLater, wait, filesIn: () => filesIn(mediaDir) }
}

t.test('files that no post has used for the time are deleted with their bytes', async (t) => {
  const { ada, account, post, work, file, ids, sweepLater, filesIn, time } = await createScene(t)
  const [unused, inDraft, inPublished] = [await file(1), await file(2), await file(3)]
  const draft = await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [inDraft] })
  await post({ accountIds: [account], caption: 'hi', mediaIds: [inPublished] })
  await work()
  t.equal((await filesIn()).length, 3)
  t.equal(await sweepLater(), 1)
  t.strictSame(await ids(), [inPublished, inDraft])
  t.equal((await filesIn()).length, 2)
  t.notOk((await ids()).includes(unused))

  t.equal((await ada.call('DELETE', `/posts/${draft.body.id}`)).status, 200)
  time.now = new Date(Date.now() + 29 * DAY_MS)
  t.equal(await sweepLater({ unusedMediaMs: 40 * DAY_MS }), 0, 'the time counts from the last use')
  t.equal(await sweepLater(), 1)
  t.strictSame(await ids(), [inPublished])
})

t.test('without RETENTION_UNUSED_MEDIA, files are kept', async (t) => {
  const { file, ids, sweepLater } = await createScene(t)
  const id = await file(1)
  t.equal(await sweepLater({ unusedMediaMs: null }), 0)
  t.strictSame(await ids(), [id])
})

t.test('a file counts as used when its post is deleted or removed, or its bytes are uploaded again', async (t) => {
  const world = await createScene(t)
  const { db, ada, account, post, work, file, wait, time } = world
  const lastUse = async (id: string) => {
    const { lastUsedAt } = await db
      .selectFrom('media')
      .select('lastUsedAt')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return lastUsedAt && Date.now() - lastUsedAt.getTime() < DAY_MS
  }
  const [deleted, removed, again] = [await file(1), await file(2), await file(3)]
  const draft = await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [deleted, deleted] })
  await post({ accountIds: [account], caption: 'hi', mediaIds: [removed] })
  await work()
  t.strictSame([await lastUse(deleted), await lastUse(removed), await lastUse(again)], [null, null, null])
  await wait(100)
  await ada.call('DELETE', `/posts/${draft.body.id}`)
  t.equal(await file(3), again)
  time.now = new Date(time.now.getTime() + 31 * DAY_MS)
  t.equal((await sweepNow(world, { retention: { postsMs: 30 * DAY_MS } }))?.posts, 1)
  t.strictSame([await lastUse(deleted), await lastUse(removed), await lastUse(again)], [true, true, true])
})

t.test('a file that a new post is about to use is kept', async (t) => {
  const { db, ada, account, file, ids, sweepLater } = await createScene(t)
  const id = await file(1)
  const { body: draft } = await ada.call('POST', '/posts', { accountIds: [account] })
  // As the statement that creates a post does: it holds the file until it commits.
  const use = (db: Db) =>
    sql`
      insert into post_media (user_id, post_id, position, media_id)
      values (${ada.id}, ${draft.id}, 1, ${id})`.execute(db)
  await db.transaction().execute(async (db) => {
    await use(db)
    t.equal(await sweepLater(), 0, 'the sweep does not wait for it')
  })
  t.strictSame(await ids(), [id])
  await sql`delete from post_media`.execute(db)
  let using: Promise<unknown> | undefined
  await db.transaction().execute(async (lock) => {
    await sql`select from media for update`.execute(lock)
    using = use(db)
    await untilBlocked(db)
    t.equal(await sweepLater(), 0, 'nor for a lock on the file')
  })
  await using
  t.equal(await sweepLater(), 0)
  t.strictSame(await ids(), [id])
})
