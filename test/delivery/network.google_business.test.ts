import sharp from 'sharp'
import t from 'tap'
import { callsOf, createNetworkWorld } from '../helpers/network-world.ts'
import { reset } from '../networks/fakes/network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const CREATE = '/localPosts'

const photo = (size = 300) => {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  return sharp({ create: { width: size, height: size, channels: 3, background: 'white', noise } })
    .jpeg()
    .toBuffer()
}

t.test('Google Business: an offer is published when Google shows it, with its address', async (t) => {
  const { connect, post, work, readDelivery, readStatus, google_business: google } = await createNetworkWorld(t)
  const account = await connect('google_business')
  google.processing = 3
  const fields = {
    topicType: 'OFFER',
    eventTitle: 'Night of lights',
    eventStart: '2026-12-24T18:30:00+01:00',
    eventEnd: '2026-12-25T02:00:00+01:00',
    offerCouponCode: 'LIGHT',
  }
  const accountOverrides = [{ accountId: account, captionOverride: 'Half the price', fields }]
  const id = await post({ accountIds: [account], caption: 'Not this', accountOverrides })
  await work()
  for (const pause of [5 * SECOND, 15 * SECOND, MINUTE]) {
    t.hasStrict(await readDelivery(id), { state: 'queued', error: null }, 'Google is checking it')
    await work(pause)
  }
  const [{ name, content }] = google.posts as [(typeof google.posts)[0]]
  t.match(content, { summary: 'Half the price', topicType: 'OFFER', offer: { couponCode: 'LIGHT' } })
  const externalUrl = `https://local.google.com/place?use=posts&lpsid=${name.split('/').at(-1)}`
  const published = { state: 'published', attempts: 1, externalId: name, externalUrl, error: null }
  t.hasStrict(await readDelivery(id), published)
  t.equal(await readStatus(id), 'published')
})

t.test('Google Business: a photo stays at its address until the post is live', async (t) => {
  const { connect, post, work, readDelivery, uploadFile, ada, google_business: google } = await createNetworkWorld(t)
  const account = await connect('google_business')
  google.processing = 4
  const mediaId = await uploadFile(await photo())
  const id = await post({ accountIds: [account], caption: 'A lighthouse', mediaIds: [mediaId] })
  await work()
  const { sourceUrl } = (google.posts[0]!.content.media as { sourceUrl: string }[])[0]!
  t.equal((await ada.call('DELETE', `/media/${mediaId}`)).status, 409, 'it is used')
  for (const pause of [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE]) {
    t.equal((await google.download(sourceUrl)).status, 200)
    await work(pause)
  }
  t.hasStrict(await readDelivery(id), { state: 'published', error: null })
  t.equal((await ada.call('DELETE', `/media/${mediaId}`)).status, 200)
})

t.test('Google Business: a check that takes longer than a day ends as unconfirmed', async (t) => {
  const { connect, post, work, readDelivery, google_business: google } = await createNetworkWorld(t)
  const account = await connect('google_business')
  google.processing = 1_000
  const id = await post({ accountIds: [account], caption: 'A lighthouse' })
  await work()
  await work(HOUR)
  t.hasStrict(await readDelivery(id), { state: 'queued', error: null })
  await work(24 * HOUR)
  await work(5 * MINUTE)
  t.match(await readDelivery(id), { state: 'unconfirmed', error: { code: 'timeout' } })
  t.equal(callsOf(google, CREATE).filter(({ method }) => method === 'POST').length, 1)
})

t.test('Google Business: the post of another delivery is never taken for a lost one', async (t) => {
  const { connect, post, work, readDelivery, google_business: google } = await createNetworkWorld(t)
  const account = await connect('google_business')
  const create = `POST /v4/${google.credentials.location}/localPosts`
  google.processing = 0
  google.faults.push({ on: create, instead: reset })
  const lost = await post({ accountIds: [account], caption: 'Cinnamon rolls at half past nine' })
  await work()
  const sent = await post({ accountIds: [account], caption: 'Cinnamon rolls at half past nine' })
  await work()
  t.hasStrict(await readDelivery(sent), { state: 'published', externalId: google.posts[0]!.name })
  await work(31 * SECOND)
  t.hasStrict(await readDelivery(lost), { state: 'unconfirmed' })
  t.equal(google.posts.length, 1)
})

t.test('Google Business: an app without approval rests, and says who has to act', async (t) => {
  const { connect, post, work, readDelivery, readAccount, google_business: google } = await createNetworkWorld(t)
  const account = await connect('google_business')
  google.isApproved = false
  const id = await post({ accountIds: [account], caption: 'A lighthouse' })
  await work()
  const error = { code: 'app_restricted', retryable: true, message: /the operator of Postroom has to apply to Google/ }
  t.match(await readDelivery(id), { state: 'queued', error })
  t.match((await readAccount(account)).attention, { code: 'app_restricted' })
  google.isApproved = true
  await work(HOUR + SECOND)
  await work(5 * SECOND)
  t.hasStrict(await readDelivery(id), { state: 'published', error: null })
})
