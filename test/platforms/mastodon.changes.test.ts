import t from 'tap'
import { mastodonAdapter } from '../../src/platforms/mastodon/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startMastodon } from '../networks/fakes/mastodon.ts'

const { send, remove, edit } = clientOf(mastodonAdapter)

t.test('an edit keeps the files, and sends the parameters that Mastodon would empty', async (t) => {
  const fake = await startMastodon(t)
  const fields = { spoilerText: 'Sea', sensitive: true, language: 'en', visibility: 'unlisted' }
  const act = actOf({ fields, media: [fileOf('image/png', { altText: 'The sea.' }), fileOf('image/jpeg')] })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
  const [before] = structuredClone(fake.statuses)
  const changed = { ...act, text: 'A lighthouse at dawn', fields: { ...fields, spoilerText: 'Lake' } }
  await edit(changed, published, fake.credentials, ioOf(fake))
  const { text, spoiler_text, edited_at, history, ...others } = fake.statuses[0]!
  t.same([text, spoiler_text], ['A lighthouse at dawn', 'Lake'])
  t.hasStrict(before, others, 'files, their descriptions, the visibility and the language stay')
})

t.test('a status that belongs to another account is not taken for a removed one', async (t) => {
  const fake = await startMastodon(t)
  const status = Object.assign(fake.post({ status: 'Not ours' }), { isForeign: true as const })
  const published = publishedOf(actOf(), { id: status.id, url: status.url })
  const error = await rejection(remove(published, fake.credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', message: 'mastodon.example: this post belongs to another account' })
  t.equal(fake.statuses.length, 1)
})
