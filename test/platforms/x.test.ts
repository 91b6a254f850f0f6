import { Readable } from 'node:stream'
import t from 'tap'
import { xAdapter } from '../../src/platforms/x/adapter.ts'
import { limitsFor } from '../../src/platforms/x/facts.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { videoLasting } from '../helpers/long-video.ts'
import { collectProblems } from '../helpers/problems.ts'
import { type FakeX, startX } from '../networks/fakes/x.ts'

const { send, identify } = clientOf(xAdapter)

async function start(t: Teardown) {
  const fake = await startX(t)
  return { fake, credentials: fake.credentials }
}

/** Bodies of the calls that create a post. */
const bodies = ({ calls }: FakeX) => calls.filter(({ path }) => path === '/2/tweets').map(({ body }) => body)

t.test('an account is named by its stable id, and a subscriber may write longer texts', async (t) => {
  const { fake, credentials } = await start(t)
  const profile = {
    externalId: fake.user.id,
    username: 'ada_l',
    displayName: 'Ada Lovelace',
    avatarUrl: 'https://pictures.invalid/ada.jpg',
    textLengthMax: null,
    limitKey: `x:${credentials.clientId}`,
    facts: { hasLongVideos: false },
  }
  t.strictSame(await identify(credentials, ioOf(fake)), profile)
  t.strictSame(fake.log, ['GET /2/users/me'])
  for (const type of ['Basic', 'Premium', 'PremiumPlus']) {
    fake.user.subscription_type = type
    const own = { textLengthMax: 25_000, facts: { hasLongVideos: true } }
    t.strictSame(await identify(credentials, ioOf(fake)), { ...profile, ...own })
  }
  await send(actOf({ text: 'a'.repeat(25_000) }), credentials, ioOf(fake))
  t.equal(fake.posts.length, 1)
})

t.test('subscribers and verified accounts may post longer videos', async (t) => {
  const { problems, check } = collectProblems()
  const videoOf = (seconds: number) => {
    const content = videoLasting(seconds)
    const open = async ({ from, bytes } = { from: 0, bytes: content.length }) =>
      Readable.from([content.subarray(from, from + bytes)])
    return fileOf('video/mp4', { bytes: content.length, durationSeconds: seconds, open })
  }
  const tiers = [
    { verified_type: 'none', subscription_type: 'None', minutes: 20 },
    { verified_type: 'blue', subscription_type: 'Basic', minutes: 125 },
    { verified_type: 'business', subscription_type: 'None', minutes: 125 },
  ]
  for (const { minutes, ...tier } of tiers) {
    const { fake, credentials } = await start(t)
    Object.assign(fake.user, tier)
    const { facts } = await identify(credentials, ioOf(fake))
    const rule = limitsFor(facts!).postTypes.video!.video!
    check(rule.durationMaxSeconds, minutes * 60, JSON.stringify(tier))
    await send(actOf({ media: [videoOf(minutes * 60)] }), credentials, ioOf(fake))
    const longer = actOf({ text: 'b', media: [videoOf(minutes * 60 + 1)] })
    const error = await rejection(send(longer, credentials, ioOf(fake)))
    check([error.code, error.needsAttention], ['content_refused', false], error.message)
  }
  t.strictSame(problems, [])
})

t.test('a text becomes a post by one call, and has an address', async (t) => {
  const { fake, credentials } = await start(t)
  const sent = await send(actOf(), credentials, ioOf(fake))
  t.strictSame(fake.log, ['intend', 'POST /2/tweets'])
  t.strictSame(bodies(fake), [{ text: 'A lighthouse at dusk' }])
  t.equal(fake.calls[0]!.headers.authorization, `Bearer ${credentials.accessToken}`)
  const { id } = fake.posts[0]!
  t.ok(BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER), 'the id is a text, since no number can hold it')
  t.strictSame(sent, { id, url: `https://x.com/ada_l/status/${id}` })

  const { username: _, ...unnamed } = credentials
  const other = await send(actOf({ text: 'Nameless' }), unnamed, ioOf(fake))
  t.equal(other.url, `https://x.com/i/web/status/${other.id}`)
})

t.test('the fields of the post are the parameters of the call', async (t) => {
  const { fake, credentials } = await start(t)
  const own = fake.post({ text: 'Mine' })
  const fields = {
    replySettings: 'mentionedUsers',
    quotePostId: own.id,
    placeId: '01a9a39529b27f36',
    madeWithAi: true,
    paidPartnership: false,
    forSuperFollowersOnly: true,
  }
  await send(actOf({ text: 'Quoted', fields }), credentials, ioOf(fake))
  const poll = { options: ['Yes', 'No'], durationMinutes: 60 }
  await send(actOf({ text: 'Sea?', fields: { poll, replySettings: 'everyone' } }), credentials, ioOf(fake))
  const tagged = actOf({ text: 'You', media: [fileOf('image/png')], fields: { taggedUserIds: ['12', '13'] } })
  await send(tagged, credentials, ioOf(fake))
  t.strictSame(bodies(fake), [
    {
      text: 'Quoted',
      reply_settings: 'mentionedUsers',
      quote_tweet_id: own.id,
      geo: { place_id: '01a9a39529b27f36' },
      made_with_ai: true,
      paid_partnership: false,
      for_super_followers_only: true,
    },
    { text: 'Sea?', poll: { options: ['Yes', 'No'], duration_minutes: 60 } },
    { text: 'You', media: { media_ids: fake.posts[0]!.media, tagged_user_ids: ['12', '13'] } },
  ])
})

t.test('the parts of a thread reply to each other, and a comment to its post', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = {
    replySettings: 'following',
    poll: { options: ['Yes', 'No'], durationMinutes: 60 },
    madeWithAi: true,
    forSuperFollowersOnly: true,
  }
  const root = await send(actOf({ text: 'One', fields }), credentials, ioOf(fake))
  const second = await send(actOf({ text: 'Two', fields, parent: root, root }), credentials, ioOf(fake))
  const comment = actOf({ kind: 'comment', text: 'First!', fields, parent: second, root })
  await send(comment, credentials, ioOf(fake))
  t.strictSame(bodies(fake).slice(1), [
    {
      text: 'Two',
      reply: { in_reply_to_tweet_id: root.id },
      made_with_ai: true,
      for_super_followers_only: true,
    },
    { text: 'First!', reply: { in_reply_to_tweet_id: second.id }, for_super_followers_only: true },
  ])
  t.strictSame(
    fake.posts.map(({ conversation_id: conversation }) => conversation),
    [root.id, root.id, root.id],
  )
})

t.test('what X cannot show is refused before anything is sent', async (t) => {
  const { fake, credentials } = await start(t)
  const impossible = [{ poll: { options: 'Yes', durationMinutes: 60 } }, { poll: 'Yes' }]
  for (const fields of impossible) {
    const error = await rejection(send(actOf({ fields }), credentials, ioOf(fake)))
    t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
    t.match(error.message, /^fields\.(?:taggedUserIds|poll) /)
  }
  t.strictSame(fake.log, [])
})
