import t from 'tap'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { untilBlocked } from '../helpers/until.ts'

const write = async (person: Person, body: object = {}) =>
  (await person.call('POST', '/posts', { accountIds: [await person.account()], caption: 'hi', ...body })).body.id

t.test('deleting a draft or a scheduled post removes its targets and attachments', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const kept = await write(ada)
  for (const extra of [{}, { scheduledAt: '2030-01-01T00:00:00Z', mediaIds: [await ada.media()] }]) {
    const id = await write(ada, extra)
    const { status, body } = await ada.call('DELETE', `/posts/${id}`)
    t.equal(status, 200)
    t.strictSame(body, { success: true })
    t.hasStrict(
      await ada.call('DELETE', `/posts/${id}`),
      { status: 404, body: { error: 'Post not found' } },
      'a second call does not find it',
    )
  }
  t.strictSame(await db.selectFrom('posts').select('id').execute(), [{ id: kept }])
  t.strictSame(await db.selectFrom('postTargets').select('postId').execute(), [{ postId: kept }])
  t.strictSame(await db.selectFrom('postMedia').selectAll().execute(), [])
  t.equal((await db.selectFrom('media').selectAll().execute()).length, 1, 'media are kept')
})

t.test('a published post cannot be deleted', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const id = await write(ada)
  await markPostPublished(db, id)
  const reply = await ada.call('DELETE', `/posts/${id}`)
  t.equal(reply.status, 400)
  t.strictSame(reply.body, { error: 'Cannot delete published post' })
  t.equal((await ada.call('GET', '/posts')).body.data[0].status, 'published')
})

t.test('another user’s post is not found, in any state', async (t) => {
  const { db, user, organization } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  await organization(ada, bob)
  const draft = await write(bob)
  const published = await write(bob)
  await markPostPublished(db, published)
  for (const id of [draft, published]) {
    const reply = await ada.call('DELETE', `/posts/${id}`)
    t.equal(reply.status, 404)
    t.strictSame(reply.body, { error: 'Post not found' })
  }
  t.equal((await bob.call('GET', '/posts')).body.data.length, 2)
})

t.test('an invalid id is not found', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const id = await write(ada)
  for (const path of ['nonsense', '%00', 'x'.repeat(200), id.toUpperCase(), `{${id}}`, id.replaceAll('-', ''), '1']) {
    t.hasStrict(await ada.call('DELETE', `/posts/${path}`), { status: 404, body: { error: 'Post not found' } }, path)
  }
  t.equal((await ada.call('GET', '/posts')).body.data.length, 1)
})

t.test('of a concurrent delete and publication, one succeeds', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  for (let round = 0; round < 20; round++) {
    const id = await write(ada)
    const [deleted, published] = await Promise.all([ada.call('DELETE', `/posts/${id}`), markPostPublished(db, id)])
    t.equal(deleted.status, published === 'published' ? 400 : 200)
  }
})

t.test('a delete waits for a worker that is claiming a delivery of the post, and is then rejected', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const id = await write(ada, { scheduledAt: '2030-01-01T00:00:00Z' })
  const { reply } = await db.transaction().execute(async (claim) => {
    await claim.updateTable('postTargets').set({ state: 'publishing' }).execute()
    const reply = ada.call('DELETE', `/posts/${id}`)
    await untilBlocked(db)
    // Inside an object, so that the transaction does not wait for it.
    return { reply }
  })
  t.hasStrict(await reply, { status: 409, body: { error: 'Cannot delete post while it is being published' } })
  t.equal((await ada.call('GET', `/posts/${id}`)).status, 200)
})
