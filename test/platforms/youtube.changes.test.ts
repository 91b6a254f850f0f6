import t from 'tap'
import { youtubeAdapter } from '../../src/platforms/youtube/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startYoutube } from '../networks/fakes/youtube.ts'

const { send, remove, edit } = clientOf(youtubeAdapter)
const HOUR_AGO = { publishedAt: new Date(Date.now() - 3_600_000) }

const media = [fileOf('video/mp4')]

t.test('an edit keeps the parts of the snippet that it does not name', async (t) => {
  const fake = await startYoutube(t)
  const fields = { title: 'Lighthouses', tags: ['sea', 'light'], categoryId: '22', defaultLanguage: 'en' }
  const act = actOf({ postType: 'video', media, fields })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  Object.assign(fake.videos[0]!.snippet, { defaultAudioLanguage: 'de', categoryId: '1' })
  await edit({ ...act, text: 'Dawn', fields: { title: 'Harbours' } }, published, fake.credentials, ioOf(fake))
  t.strictSame(fake.videos[0]!.snippet, {
    title: 'Harbours',
    description: 'Dawn',
    categoryId: '1',
    tags: [],
    defaultLanguage: 'en',
    defaultAudioLanguage: 'de',
  })
})

t.test('a comment is edited and removed, and a thumbnail goes with its video', async (t) => {
  const fake = await startYoutube(t)
  const act = actOf({ postType: 'video', media, fields: { title: 'Lighthouses' } })
  const root = await send(act, fake.credentials, ioOf(fake))
  const comment = actOf({ kind: 'comment', postType: 'video', parent: root, root })
  const published = publishedOf(comment, await send(comment, fake.credentials, ioOf(fake)), HOUR_AGO)
  await edit({ ...comment, text: 'Dawn' }, published, fake.credentials, ioOf(fake))
  t.equal(fake.comments[0]?.text, 'Dawn')
  await remove({ ...published, id: root.id, kind: 'thumbnail' }, fake.credentials, ioOf(fake))
  await remove(published, fake.credentials, ioOf(fake))
  t.same([fake.comments.length, fake.videos.length], [0, 1])
})

t.test('a new video that is not found is not taken for a removed one', async (t) => {
  const fake = await startYoutube(t)
  const act = actOf({ postType: 'video', media, fields: { title: 'Lighthouses' } })
  const published = publishedOf(act, { id: 'unknown', url: null }, { publishedAt: new Date() })
  for (const change of [
    remove(published, fake.credentials, ioOf(fake)),
    edit(act, published, fake.credentials, ioOf(fake)),
  ]) {
    t.match(await rejection(change), { code: 'server_error', retryable: true, retryAfterMs: Number })
  }
})
