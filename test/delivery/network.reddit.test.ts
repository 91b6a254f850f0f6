import { readFileSync } from 'node:fs'
import t from 'tap'
import { callsOf, createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'

const SECOND = 1_000
const SUBMIT = 'POST /api/submit'

/** Reddit requires 2 seconds. */
const VIDEO = readFileSync('test/samples/slow.mp4')

const SUBREDDIT = { subreddit: 'lighthouses' }

/** A world with an account on Reddit, and a function that creates a post for it. */
async function start(t: Parameters<typeof createNetworkWorld>[0]) {
  const world = await createNetworkWorld(t)
  const account = await world.connect('reddit')
  const create = (body: object, fields: object = {}) =>
    world.post({
      accountIds: [account],
      accountOverrides: [{ accountId: account, fields: { ...SUBREDDIT, ...fields } }],
      ...body,
    })
  return { ...world, account, create }
}

t.test('Reddit: a text is published with its fields and first comment', async (t) => {
  const { create, work, readDelivery, readStatus, reddit } = await start(t)
  const id = await create({ caption: 'Thar she <blows>\n\n& breathes', firstComment: 'First!' }, { spoiler: true })
  await work()
  t.hasStrict(reddit.posts[0], { title: 'Thar she <blows>', selftext: '& breathes', form: { spoiler: 'true' } })
  t.hasStrict(reddit.comments[0], { body: 'First!', parentId: reddit.posts[0]!.name })
  const { name: externalId, permalink } = reddit.posts[0]!
  const externalUrl = `https://www.reddit.com${permalink}`
  t.hasStrict(await readDelivery(id), { state: 'published', externalId, externalUrl, error: null })
  t.equal(await readStatus(id), 'published')
})

t.test('Reddit: files are uploaded once, and no worker waits while they are processed', async (t) => {
  const { create, uploadFile, work, readDelivery, reddit } = await start(t)
  const images = [await jpeg(40, 30, 1), await jpeg(30, 40, 2)]
  const mediaIds = [await uploadFile(images[0]!), await uploadFile(images[1]!)]
  await create({ caption: 'Two', postType: 'carousel', mediaIds })
  await work()
  t.same(
    [...reddit.media.assets.values()].map(({ bytes }) => bytes),
    images,
  )
  t.hasStrict(reddit.posts[0], { isGallery: true, title: 'Two' })

  reddit.switches.processing = 2
  const film = await create({ caption: 'A film', postType: 'video', mediaIds: [await uploadFile(VIDEO)] })
  await work()
  for (const seconds of [2, 4]) {
    t.hasStrict(await readDelivery(film), { state: 'queued', error: null }, 'Reddit is still processing it')
    await work(seconds * SECOND)
  }
  await work(8 * SECOND)
  t.hasStrict(await readDelivery(film), { state: 'published', attempts: 1, externalId: reddit.posts[0]!.name })
  t.equal(callsOf(reddit, SUBMIT).length, 1)
})

t.test('Reddit: an error with status 200 fails the delivery in the words of Reddit', async (t) => {
  const { create, work, readDelivery, readAccount, account, reddit } = await start(t)
  reddit.addSubreddit('links', { submissionType: 'link' })
  const id = await create({ caption: 'A text' }, { subreddit: 'links' })
  await work()
  const message = "reddit.com: that subreddit doesn't allow text posts (NO_SELFS)"
  t.hasStrict(await readDelivery(id), { state: 'failed', error: { code: 'content_refused', message } })
  t.notOk((await readAccount(account)).attention)
})

t.test('Reddit: the flairs of a subreddit and its rules can be read before a post is written', async (t) => {
  const { ada, account } = await start(t)
  const { body: subreddits } = await ada.call('GET', `/accounts/${account}/options/subreddit`)
  t.match(subreddits, { field: 'subreddit', data: [{ value: 'lighthouses', label: 'r/lighthouses' }] })
  const flairs = await ada.call('GET', `/accounts/${account}/options/flairId?subreddit=lighthouses`)
  t.equal(flairs.status, 200)
  t.match(flairs.body, { data: [{ label: 'Photo' }, { label: 'Question' }], facts: { rules: [{ name: 'Be kind' }] } })
  t.equal((await ada.call('GET', `/accounts/${account}/options/flairId`)).status, 400)
  t.equal((await ada.call('GET', `/accounts/${account}/options/flairId?subreddit=nowhere`)).status, 400)
})
