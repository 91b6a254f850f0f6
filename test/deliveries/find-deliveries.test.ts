import t from 'tap'
import { createWorld, type Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { BEGIN, type KnownPost, type KnownTarget, storeManyPosts, timeOf } from '../helpers/many-posts.ts'
import { assertIssues, toRaw } from '../helpers/rejections.ts'

/** More posts than a request looks at. */
const POSTS = 400

const { db, user } = await createWorld(t)
const ada = repeating(await user())
const bob = repeating(await user())
const posts = await storeManyPosts(db, ada, POSTS, 15)
await storeManyPosts(db, bob, 20, 15)

type Known = KnownTarget & { post: KnownPost }
const deliveries: Known[] = posts.flatMap((post) => post.targets.map((target) => ({ ...target, post })))
const [{ accountId }] = deliveries as [Known]
const at = (minutes: number) => new Date(BEGIN + minutes * 60_000)

const keyOf = (delivery: { postId: string; accountId: string }) => `${delivery.postId} ${delivery.accountId}`

async function readAll(person: Person, query: string): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < POSTS; page++) {
    const { status, body } = await person.call(
      'GET',
      `/deliveries?${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)} for ${query}`)
    keys.push(...body.data.map(keyOf))
    cursor = body.nextCursor
    if (cursor === null) return keys
  }
  throw new Error(`the pages of ${query} do not end`)
}

type Order = 'newest' | 'scheduled' | 'changed'

/** The same as the service does, the simplest way. */
function selectNaively(isWanted: (delivery: Known) => boolean, order: Order): string[] {
  const sortedBy = (delivery: Known) =>
    Number(order === 'scheduled' ? timeOf(delivery.post, delivery) : order === 'changed' ? delivery.changedAt : 0)
  const sign = order === 'changed' ? 1 : -1
  return deliveries
    .filter(isWanted)
    .map((delivery) => ({
      time: sortedBy(delivery),
      key: keyOf({ postId: delivery.post.id, accountId: delivery.accountId }),
    }))
    .sort((a, b) => sign * (a.time - b.time || (a.key < b.key ? -1 : 1)))
    .map(({ key }) => key)
}

t.test(
  'each filter, and pairs of filters, select exactly the deliveries that meet them, in the documented order',
  async (t) => {
    const isFailed = ({ state }: Known) => state === 'failed'
    const isScheduled = (delivery: Known) => {
      const time = timeOf(delivery.post, delivery)
      return time !== null && time >= at(10) && time < at(40)
    }
    const scheduled = `scheduledFrom=${at(10).toISOString()}&scheduledBefore=${at(40).toISOString()}`
    const changed = `changedAfter=${at(30).toISOString()}`
    const isChanged = ({ changedAt }: Known) => changedAt !== null && changedAt > at(30)
    const cases: [query: string, isWanted: (delivery: Known) => boolean, order?: Order][] = [
      ['', () => true],
      ['state=failed', isFailed],
      ['state=published', ({ state }) => state === 'published'],
      ['state=failed&state=waiting', ({ state }) => state === 'failed' || state === 'waiting'],
      ['errorCode=timeout', ({ errorCode }) => errorCode === 'timeout'],
      [`accountId=${accountId}`, (delivery) => delivery.accountId === accountId],
      ['platform=bluesky', ({ platform }) => platform === 'bluesky'],
      ['platform=youtube', () => false],
      [scheduled, isScheduled, 'scheduled'],
      [changed, isChanged, 'changed'],
      ['state=failed&platform=x', (delivery) => isFailed(delivery) && delivery.platform === 'x'],
      [`state=failed&accountId=${accountId}`, (delivery) => isFailed(delivery) && delivery.accountId === accountId],
      [
        `accountId=${accountId}&errorCode=timeout`,
        (delivery) => delivery.accountId === accountId && delivery.errorCode === 'timeout',
      ],
      [`${scheduled}&state=failed`, (delivery) => isScheduled(delivery) && isFailed(delivery), 'scheduled'],
      [
        `${scheduled}&accountId=${accountId}`,
        (delivery) => isScheduled(delivery) && delivery.accountId === accountId,
        'scheduled',
      ],
      [`${changed}&state=failed`, (delivery) => isChanged(delivery) && isFailed(delivery), 'changed'],
      [`${changed}&${scheduled}`, (delivery) => isChanged(delivery) && isScheduled(delivery), 'changed'],
      [
        `${changed}&platform=telegram`,
        (delivery) => isChanged(delivery) && delivery.platform === 'telegram',
        'changed',
      ],
    ]
    for (const [query, isWanted, order = 'newest'] of cases) {
      const expected = selectNaively(isWanted, order)
      for (const limit of [100, 7]) {
        if (limit === 7 && expected.length > 200) continue
        t.strictSame(await readAll(ada, `${query}&limit=${limit}`.replace(/^&/, '')), expected, `${query} by ${limit}`)
      }
    }
  },
)

t.test('a delivery in the list has what getPost shows of it, and whose post and account it is', async (t) => {
  const carol = repeating(await user())
  const account = await carol.account('x', { username: 'carol' })
  const body = { accountIds: [account], caption: 'hi', scheduledAt: '2030-01-01T00:00:00Z' }
  const { body: post } = await carol.call('POST', '/posts', body)
  const read = async () => (await carol.call('GET', '/deliveries')).body.data
  const fresh = {
    postId: post.id,
    accountId: account,
    platform: 'x',
    username: 'carol',
    captionExcerpt: 'hi',
    state: 'queued',
    scheduledAt: '2030-01-01T00:00:00.000Z',
    attempts: 0,
    nextAttemptAt: '2030-01-01T00:00:00.000Z' as string | null,
    publishedAt: null,
    changedAt: null,
    externalId: null,
    externalUrl: null,
    error: null,
  }
  t.strictSame(await read(), [fresh])
  const excerpt = `${'a'.repeat(198)}💥💥`
  const override = { overrides: { [account]: { captionOverride: `${excerpt}bc` } } }
  t.equal((await carol.call('PATCH', `/posts/${post.id}`, override)).status, 200)
  fresh.captionExcerpt = excerpt
  t.strictSame(await read(), [fresh], 'the excerpt is of the caption for the account')

  const error = { code: 'unauthorized', message: 'The token is invalid', retryable: false }
  const targets = db.updateTable('postTargets').where('postId', '=', post.id)
  const before = new Date().toISOString()
  await targets.set({ state: 'publishing' }).execute()
  fresh.nextAttemptAt = null
  t.strictSame(await read(), [{ ...fresh, state: 'publishing' }], 'that a worker takes it is not a change')
  await targets.set({ state: 'failed', error: JSON.stringify(error), attempts: 1 }).execute()
  const [failed] = await read()
  t.strictSame(failed, { ...fresh, state: 'failed', attempts: 1, error, changedAt: failed.changedAt })
  t.ok(failed.changedAt >= before.slice(0, 19), 'changedAt is the time of the change')

  await targets.set({ attempts: 2 }).execute()
  t.equal((await read())[0].changedAt, failed.changedAt, 'what nobody sees is not a change')
  const after = `/deliveries?changedAfter=${failed.changedAt}`
  const sent = JSON.stringify([{ id: '17', url: 'https://x.com/carol/status/17' }])
  await targets.set({ state: 'published', error: null, sent, publishedAt: new Date(BEGIN) }).execute()
  const [published] = (await carol.call('GET', after)).body.data
  t.hasStrict(published, { state: 'published', externalId: '17', externalUrl: 'https://x.com/carol/status/17' })
})

t.test('the deliveries of another user never show, and none repeats or is hidden while others are added', async (t) => {
  const own = new Set(posts.map(({ id }) => id))
  for (const query of ['', 'state=published', `changedAfter=${at(0).toISOString()}`]) {
    const found = await readAll(bob, query)
    t.ok(found.length > 0)
    t.notOk(
      found.some((key) => own.has(key.split(' ')[0]!)),
      query,
    )
  }
  t.strictSame(await readAll(bob, `accountId=${accountId}`), [], 'the account of another user selects nothing')

  const dave = repeating(await user())
  const before = (await storeManyPosts(db, dave, 20, 3)).flatMap((post) =>
    post.targets.map((target) => ({ ...target, post })),
  )
  const account = await dave.account()
  const read: string[] = []
  let cursor = ''
  do {
    const { body } = await dave.call('GET', `/deliveries?limit=4${cursor && `&cursor=${cursor}`}`)
    read.push(...body.data.map(keyOf))
    cursor = body.nextCursor ?? ''
    await dave.call('POST', '/posts', { accountIds: [account] })
  } while (cursor)
  t.strictSame(
    read,
    before
      .map(({ post, accountId }) => `${post.id} ${accountId}`)
      .sort()
      .reverse(),
  )
})

t.test('an unknown or malformed parameter, and the cursor of another query, is a 400', async (t) => {
  const { body } = await ada.call('GET', '/deliveries?limit=1&state=published')
  const cases: [query: string, code: string, path: (string | number)[]][] = [
    ['stat=failed', 'unrecognized_keys', []],
    ['offset=1', 'unrecognized_keys', []],
    ['state=lost', 'invalid_enum_value', ['state', 0]],
    ['accountId=a', 'invalid_string', ['accountId']],
    ['changedAfter=yesterday', 'invalid_string', ['changedAfter']],
    ['limit=0', 'too_small', ['limit']],
    ['cursor=a', 'invalid_string', ['cursor']],
    [`cursor=${'A'.repeat(80)}`, 'custom', ['cursor']],
    [`cursor=${body.nextCursor}`, 'custom', ['cursor']],
    [`state=failed&cursor=${body.nextCursor}`, 'custom', ['cursor']],
  ]
  for (const [query, code, path] of cases) {
    assertIssues(t, toRaw(await ada.call('GET', `/deliveries?${query}`)), [{ code, path }], query.slice(0, 60))
  }
})
