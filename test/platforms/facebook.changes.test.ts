import t from 'tap'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startFacebook } from '../networks/fakes/facebook.ts'

const { send, remove, edit } = clientOf(facebookAdapter)
const HOUR_AGO = { publishedAt: new Date(Date.now() - 3_600_000) }

t.test('a video, a comment and a post with photos are edited and removed', async (t) => {
  const fake = await startFacebook(t)
  const video = actOf({ postType: 'reel', media: [fileOf('video/mp4')] })
  const post = actOf({ media: [fileOf('image/png'), fileOf('image/png')] })
  const root = await send(post, fake.credentials, ioOf(fake))
  const comment = actOf({ kind: 'comment', parent: root, root })
  const sents = [
    [comment, await send(comment, fake.credentials, ioOf(fake))],
    [post, root],
    [video, await send(video, fake.credentials, ioOf(fake))],
  ] as const
  for (const [act, sent] of sents) {
    const published = publishedOf(act, sent, HOUR_AGO)
    t.same(await edit({ ...act, text: 'Dawn' }, published, fake.credentials, ioOf(fake)), sent)
    t.match(fake.calls.at(-1)?.body, act === video ? { description: 'Dawn' } : { message: 'Dawn' })
    await remove(published, fake.credentials, ioOf(fake))
  }
  t.same([fake.posts, fake.comments, fake.visibleIds()], [[], [], []])
})

t.test('what Facebook may not change or show is not taken for a removed post', async (t) => {
  const fake = await startFacebook(t)
  const act = actOf()
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  fake.locked.add(published.id)
  for (const change of [
    remove(published, fake.credentials, ioOf(fake)),
    edit({ ...act, text: 'Dawn' }, published, fake.credentials, ioOf(fake)),
  ]) {
    t.match(await rejection(change), { code: 'content_refused', message: /^facebook\.com: Unsupported request/ })
  }
  const recent = { ...published, id: '1_2', publishedAt: new Date() }
  t.match(await rejection(remove(recent, fake.credentials, ioOf(fake))), { retryable: true, retryAfterMs: Number })
  const wrong = { ...published, id: 'https://www.facebook.com/1' }
  t.has(await rejection(remove(wrong, fake.credentials, ioOf(fake))), { code: 'content_refused' })
  t.equal(fake.posts.length, 1)
})
