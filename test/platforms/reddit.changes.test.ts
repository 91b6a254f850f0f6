import t from 'tap'
import { redditAdapter } from '../../src/platforms/reddit/adapter.ts'
import { actOf, clientOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startReddit } from '../networks/fakes/reddit.ts'
import { ALL_SCOPES } from '../networks/fakes/reddit-oauth.ts'

const { send, remove, edit } = clientOf(redditAdapter)
const HOUR_AGO = { publishedAt: new Date(Date.now() - 3_600_000) }

const fields = { subreddit: 'lighthouses', title: 'Lighthouses' }

t.test('a post that Reddit keeps is not taken for a removed one', async (t) => {
  const fake = await startReddit(t)
  const act = actOf({ fields })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  fake.switches.keepsDeleted = true
  const kept = await rejection(remove(published, fake.credentials, ioOf(fake)))
  t.has(kept, { code: 'server_error', retryable: true, message: 'reddit.com still shows the post' })
  fake.posts[0]!.author = 'bob'
  const foreign = await rejection(remove(published, fake.credentials, ioOf(fake)))
  t.has(foreign, { code: 'content_refused', message: 'reddit.com: this post belongs to another account' })
})

t.test('a comment is edited and removed', async (t) => {
  const fake = await startReddit(t)
  const root = await send(actOf({ fields }), fake.credentials, ioOf(fake))
  const comment = actOf({ kind: 'comment', parent: root, root, fields })
  const published = publishedOf(comment, await send(comment, fake.credentials, ioOf(fake)), HOUR_AGO)
  await edit({ ...comment, text: 'Dawn' }, published, fake.credentials, ioOf(fake))
  t.equal(fake.comments[0]?.body, 'Dawn')
  await remove(published, fake.credentials, ioOf(fake))
  t.match([fake.comments[0], fake.posts[0]], [{ author: '[deleted]', body: '[deleted]' }, { author: 'ada_l' }])
})

t.test('the title of a post cannot be changed: not in fields, and not in the first line', async (t) => {
  const fake = await startReddit(t)
  const { subreddit } = fields
  const act = actOf({ text: 'Lighthouses\n\nAt dusk', fields: { subreddit } })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  await edit({ ...act, text: 'Lighthouses\n\nAt dawn' }, published, fake.credentials, ioOf(fake))
  t.equal(fake.posts[0]?.selftext, 'At dawn')
  for (const changed of [{ text: 'Harbours\n\nAt dawn' }, { fields: { subreddit, title: 'Harbours' } }]) {
    const error = await rejection(edit({ ...act, ...changed }, published, fake.credentials, ioOf(fake)))
    t.match(error, { code: 'content_refused', message: /^reddit\.com: the title of a post cannot be changed/ })
  }
  t.match(fake.posts[0], { title: 'Lighthouses', edits: 1 })
})

t.test('an account without the scope edit changes nothing', async (t) => {
  const fake = await startReddit(t)
  const act = actOf({ fields })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  const { accessToken } = fake.authorization.grant(ALL_SCOPES)
  const error = await rejection(remove(published, { ...fake.credentials, accessToken }, ioOf(fake)))
  t.has(error, { code: 'unauthorized', needsAttention: true })
  t.equal(fake.posts[0]?.author, 'ada_l')
})
