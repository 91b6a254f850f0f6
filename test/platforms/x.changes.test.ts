import t from 'tap'
import { xAdapter } from '../../src/platforms/x/adapter.ts'
import { actOf, clientOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startX } from '../networks/fakes/x.ts'

const { send, remove, edit } = clientOf(xAdapter)

t.test('an edit is a new version with an id of its own, and versions are removed together', async (t) => {
  const fake = await startX(t)
  fake.user.subscription_type = 'Premium'
  const act = actOf({ text: 'See https://example.com/a' })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
  const second = await edit({ ...act, text: 'At dawn' }, published, fake.credentials, ioOf(fake))
  const third = await edit({ ...act, text: 'At noon' }, published, fake.credentials, ioOf(fake))
  t.strictSame(fake.posts[0]?.versions, [published.id, second.id, third.id], 'the newest version is edited')
  t.equal(third.url, `https://x.com/ada_l/status/${third.id}`)
  await remove(published, fake.credentials, ioOf(fake))
  t.ok(fake.posts.every(({ isDeleted }) => isDeleted))
})

t.test('an edit of a reply stays the reply that it was', async (t) => {
  const fake = await startX(t)
  fake.user.subscription_type = 'Premium'
  const root = await send(actOf({ text: 'One' }), fake.credentials, ioOf(fake))
  const act = actOf({ text: 'Two', parent: root, root, fields: { replySettings: 'following' } })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
  await edit({ ...act, text: 'Three' }, published, fake.credentials, ioOf(fake))
  t.strictSame(fake.calls.at(-1)?.body, { text: 'Three', edit_options: { previous_post_id: published.id } })
})

t.test('an edit that X refuses leaves the post as it is', async (t) => {
  const fake = await startX(t)
  const act = actOf()
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
  const change = () => edit({ ...act, text: 'At dawn' }, published, fake.credentials, ioOf(fake))
  const refused = { code: 'content_refused', needsAttention: false, retryable: false }
  t.has(await rejection(change()), refused, 'without a subscription')
  fake.user.subscription_type = 'Premium'
  fake.setTime(new Date(Date.now() + 3_600_000))
  t.has(await rejection(change()), refused, 'after its time')
  t.equal(fake.posts.length, 1)
})

t.test('the post of another account is not removed', async (t) => {
  const fake = await startX(t)
  const { id } = fake.post({ text: 'Not ours' }, '2244994945000000002')
  const error = await rejection(remove(publishedOf(actOf(), { id, url: null }), fake.credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', needsAttention: false })
})
