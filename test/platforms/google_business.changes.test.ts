import t from 'tap'
import { googleBusinessAdapter } from '../../src/platforms/google_business/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startGoogleBusiness } from '../networks/fakes/google-business.ts'

const { send, remove, edit } = clientOf(googleBusinessAdapter)
const HOUR_AGO = { publishedAt: new Date(Date.now() - 3_600_000) }

t.test('an edit changes the text alone', async (t) => {
  const fake = await startGoogleBusiness(t)
  fake.checksPhotos = false
  const fields = { callToActionType: 'LEARN_MORE', callToActionUrl: 'https://example.com/' }
  const act = actOf({ media: [fileOf('image/png')], fields })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  const before = structuredClone(fake.posts[0]!.content)
  await edit({ ...act, text: 'Dawn', fields: {} }, published, fake.credentials, ioOf(fake))
  t.strictSame(fake.posts[0]!.content, { ...before, summary: 'Dawn' })
  fake.processing = 'refused'
  const error = await rejection(edit({ ...act, text: 'Noon' }, published, fake.credentials, ioOf(fake)))
  t.match(error, { code: 'content_refused', message: /violates the content policy/ })
})

t.test('a location that the account has lost does not make its posts removed ones', async (t) => {
  const fake = await startGoogleBusiness(t)
  const act = actOf()
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  const notFound = { error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' } }
  const posts = `/v4/${fake.credentials.location}/localPosts`
  const path = `${posts}/${published.id.split('/').at(-1)}`
  for (const on of [`DELETE ${path}`, `GET ${posts}`])
    fake.faults.push({ on, instead: { status: 404, body: notFound } })
  t.has(await rejection(remove(published, fake.credentials, ioOf(fake))), {
    code: 'unauthorized',
    needsAttention: true,
  })
  t.equal(fake.posts.length, 1)
})
