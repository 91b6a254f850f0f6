import t from 'tap'
import { linkedinAdapter } from '../../src/platforms/linkedin/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startLinkedin } from '../networks/fakes/linkedin.ts'

const { send, remove, edit } = clientOf(linkedinAdapter)
const HOUR_AGO = { publishedAt: new Date(Date.now() - 3_600_000) }

t.test('an edit replaces the commentary in the notation of LinkedIn, and keeps the files', async (t) => {
  const fake = await startLinkedin(t)
  const act = actOf({ media: [fileOf('image/png', { altText: 'The sea.' })] })
  const published = publishedOf(act, await send(act, fake.organization, ioOf(fake)), HOUR_AGO)
  const { content } = fake.posts[0]!
  await edit({ ...act, text: 'Dawn (again)' }, published, fake.organization, ioOf(fake))
  t.match(fake.posts[0], { commentary: 'Dawn \\(again\\)', text: 'Dawn (again)', content })
})

t.test('the comment of a member or an organization is edited and removed', async (t) => {
  const fake = await startLinkedin(t)
  for (const credentials of [fake.member, fake.organization]) {
    const post = actOf({ text: `By ${credentials.author}` })
    const root = await send(post, credentials, ioOf(fake))
    const comment = actOf({ kind: 'comment', parent: root, root })
    const sent = await send(comment, credentials, ioOf(fake))
    // Some responses have the number of the comment alone.
    for (const id of [sent.id, fake.comments[0]!.id]) {
      const published = publishedOf(comment, { ...sent, id }, HOUR_AGO)
      await edit({ ...comment, text: `Dawn for ${id}` }, published, credentials, ioOf(fake))
      t.equal(fake.comments[0]?.text, `Dawn for ${id}`)
    }
    await remove(publishedOf(comment, sent, HOUR_AGO), credentials, ioOf(fake))
    await remove(publishedOf(comment, sent, HOUR_AGO), credentials, ioOf(fake))
    t.same(fake.comments, [])
    await remove(publishedOf(post, root, HOUR_AGO), credentials, ioOf(fake))
    t.equal(fake.posts[0]?.isDeleted, true)
  }
})

t.test('a comment whose place is unknown is left alone', async (t) => {
  const fake = await startLinkedin(t)
  const published = publishedOf(actOf({ kind: 'comment' }), { id: '123', url: null }, HOUR_AGO)
  const error = await rejection(remove(published, fake.organization, ioOf(fake)))
  t.has(error, { code: 'content_refused', retryable: false })
  t.same(fake.calls, [])
})
