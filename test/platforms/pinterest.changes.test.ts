import t from 'tap'
import { pinterestAdapter } from '../../src/platforms/pinterest/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startPinterest } from '../networks/fakes/pinterest.ts'

const { send, remove, edit } = clientOf(pinterestAdapter)
const HOUR_AGO = { publishedAt: new Date(Date.now() - 3_600_000) }

const act = actOf({
  media: [fileOf('image/png', { altText: 'The sea.' })],
  fields: { boardId: '549755885175', title: 'Lighthouses', link: 'https://example.com/' },
})

t.test('an edit replaces the texts of a Pin, and clears those that it lacks', async (t) => {
  const fake = await startPinterest(t)
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  const { boardId } = act.fields
  await edit({ ...act, text: 'Dawn', fields: { boardId, title: 'Harbours' } }, published, fake.credentials, ioOf(fake))
  t.match(fake.pins[0], { title: 'Harbours', description: 'Dawn', link: null, alt_text: 'The sea.' })
})

t.test('an app outside of the beta cannot edit, and the Pin stays as it is', async (t) => {
  const fake = await startPinterest(t)
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  fake.isInBeta = false
  const error = await rejection(edit({ ...act, text: 'Dawn' }, published, fake.credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', retryable: false, needsAttention: false })
  t.equal(fake.pins[0]?.description, act.text)
  await remove(published, fake.credentials, ioOf(fake))
  t.same(fake.pins, [])
})
