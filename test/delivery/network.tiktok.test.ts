import t from 'tap'
import { callsOf, createNetworkWorld, VIDEO } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { broken, reset } from '../networks/fakes/network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const PUT = 'PUT /video/'

async function createScene(t: Parameters<typeof createNetworkWorld>[0]) {
  const world = await createNetworkWorld(t)
  const account = await world.connect('tiktok')
  const { post, uploadFile } = world
  const postFile = async (file: Buffer, fields: object = { privacyLevel: 'PUBLIC_TO_EVERYONE' }) => {
    const id = await uploadFile(file)
    // The sample is smaller than TikTok accepts.
    const facts = { width: 720, height: 720, durationSeconds: 10, fps: 30 }
    await world.db.updateTable('media').set(facts).where('id', '=', id).where('kind', '=', 'video').execute()
    const accountOverrides = [{ accountId: account, fields }]
    return post({ accountIds: [account], caption: 'A lighthouse #sea', mediaIds: [id], accountOverrides })
  }
  return { ...world, account, postFile }
}

t.test('TikTok: a video is followed until TikTok has published it', async (t) => {
  const { postFile, work, readDelivery, readStatus, tiktok } = await createScene(t)
  tiktok.switches.processing = 2
  const id = await postFile(VIDEO)
  await work()
  await work(SECOND)
  t.hasStrict(await readDelivery(id), { state: 'queued', error: null })
  for (const seconds of [5, 10]) {
    await work(seconds * SECOND)
    t.hasStrict(await readDelivery(id), { state: 'queued', error: null }, 'TikTok is still processing it')
  }
  await work(20 * SECOND)
  const [video] = tiktok.posts
  t.ok(video!.bytes.equals(VIDEO))
  t.strictSame(video!.info, {
    title: 'A lighthouse #sea',
    privacy_level: 'PUBLIC_TO_EVERYONE',
    brand_content_toggle: false,
    brand_organic_toggle: false,
  })
  const externalUrl = `https://www.tiktok.com/@ada.l/video/${video!.id}`
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1, externalId: video!.id, externalUrl })
  t.equal(await readStatus(id), 'published')
  t.equal(callsOf(tiktok, 'creator_info/query/').length, 1)
})

t.test('TikTok: photos are fetched from signed addresses', async (t) => {
  const { postFile, work, readDelivery, tiktok } = await createScene(t)
  const photo = await jpeg(720, 720, 1)
  const id = await postFile(photo, { privacyLevel: 'SELF_ONLY', title: 'At sea' })
  await work()
  await work(5 * SECOND)
  t.ok(tiktok.posts[0]!.bytes.equals(photo))
  const delivery = { state: 'published', externalId: null, externalUrl: null, error: null }
  t.hasStrict(await readDelivery(id), delivery, 'nobody else can see it')
})

t.test('TikTok: a draft is published when it is in the inbox', async (t) => {
  const { postFile, work, readDelivery, tiktok } = await createScene(t)
  const id = await postFile(VIDEO, { postMode: 'MEDIA_UPLOAD' })
  await work()
  await work(SECOND)
  await work(5 * SECOND)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: null, externalUrl: null })
  t.equal(tiktok.drafts.length, 1)
  t.equal(tiktok.posts.length, 0)
})

t.test('TikTok: a full inbox delays drafts, and no other post', async (t) => {
  const { postFile, work, readDelivery, retry, account, tiktok } = await createScene(t)
  tiktok.switches.draftsMax = 0
  const draft = await postFile(await jpeg(720, 720, 1), { postMode: 'MEDIA_UPLOAD' })
  const direct = await postFile(await jpeg(720, 720, 2))
  await work()
  await work(5 * SECOND)
  t.hasStrict(await readDelivery(draft), { state: 'queued', error: { code: 'inbox_full', retryable: true } })
  t.hasStrict(await readDelivery(direct), { state: 'published', error: null })
  tiktok.switches.draftsMax = 5
  t.equal((await retry(draft, account)).status, 202)
  await work()
  await work(5 * SECOND)
  t.hasStrict(await readDelivery(draft), { state: 'published', error: null })
  t.equal(tiktok.drafts.length, 1)
})

t.test('TikTok: a video whose last response is lost is published once', async (t) => {
  const { postFile, work, readDelivery, tiktok } = await createScene(t)
  for (const after of [true, false]) {
    tiktok.faults.push({ on: PUT, after, instead: after ? broken(201) : reset })
    const id = await postFile(VIDEO)
    await work()
    await work(SECOND)
    t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 1 })
    await work(MINUTE)
    await work(5 * SECOND)
    t.hasStrict(await readDelivery(id), { state: 'published', externalId: tiktok.posts.at(-1)!.id, error: null })
  }
  t.equal(tiktok.posts.length, 2)
  t.equal(tiktok.tasks.size, 2)
})

t.test('TikTok: photos that TikTok could not fetch are posted anew, twice at most', async (t) => {
  const { postFile, work, readDelivery, tiktok } = await createScene(t)
  tiktok.switches.processing = 'photo_pull_failed'
  const id = await postFile(await jpeg(720, 720, 1))
  const settle = async () => {
    for (let attempts = 0; attempts < 12; attempts++) await work(MINUTE)
  }
  await work()
  tiktok.switches.processing = 0
  await settle()
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: tiktok.posts[0]!.id, error: null })
  t.equal(tiktok.tasks.size, 2)

  tiktok.switches.processing = 'photo_pull_failed'
  const other = await postFile(await jpeg(720, 720, 2))
  await settle()
  const { state, error } = await readDelivery(other)
  t.strictSame([state, error?.code], ['failed', 'content_refused'])
  t.match(error?.message, 'its operator has to make its public address reachable for TikTok')
  t.equal(tiktok.posts.length, 1)
  t.equal(tiktok.tasks.size, 5)
})

t.test(
  'TikTok: a token that ends while a video is processed leaves its outcome open until it is connected',
  async (t) => {
    const { postFile, work, readDelivery, readAccount, retry, account, tiktok } = await createScene(t)
    const id = await postFile(VIDEO)
    await work()
    await work(SECOND)
    tiktok.grant.isRevoked = true
    await work(5 * SECOND)
    t.hasStrict(await readDelivery(id), { state: 'unconfirmed', error: { code: 'unauthorized' } })
    t.hasStrict((await readAccount(account)).attention, { code: 'unauthorized' })
    tiktok.grant.isRevoked = false
    t.equal((await retry(id, account)).status, 202)
    await work()
    t.hasStrict(await readDelivery(id), { state: 'published', externalId: tiktok.posts[0]!.id })
    t.equal(tiktok.posts.length, 1)
  },
)

t.test(
  'TikTok: what the operator has to do is in the error of the delivery, and no address of an upload is',
  async (t) => {
    const { postFile, work, readDelivery, log, tiktok } = await createScene(t)
    tiktok.switches.isAudited = false
    const id = await postFile(VIDEO)
    await work()
    const { state, error } = await readDelivery(id)
    t.strictSame([state, error?.code, error?.retryable], ['failed', 'app_restricted', false])
    t.match(error?.message, 'until its operator passes the audit')

    tiktok.switches.isAudited = true
    tiktok.faults.push({ on: PUT, instead: { status: 500 } }, { on: PUT, instead: { status: 400 } })
    const refused = await postFile(VIDEO)
    for (let attempts = 0; attempts < 5; attempts++) await work(MINUTE)
    t.hasStrict(await readDelivery(refused), { state: 'failed' })
    for (const { token } of tiktok.tasks.values()) t.notOk(log.join('').includes(token))
    t.notOk(JSON.stringify(await readDelivery(refused)).includes('upload_token'))
  },
)
