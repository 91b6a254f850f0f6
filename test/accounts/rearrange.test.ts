import t, { type Test } from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, type Person } from '../helpers/app.ts'
import { readAllEvents } from '../helpers/events.ts'
import { createScene, daily, errorOf } from '../helpers/queue.ts'

const NEXT = { schedule: { queue: 'next' } }

async function createQueue(t: Test, ...times: string[]) {
  const scene = await createScene(t)
  const { ada, create, slots } = scene
  const id = await scene.account(...times)
  const queue = async (more: object = NEXT, accountIds = [id], person?: Person): Promise<string> =>
    (await create(accountIds, more, person)).body.id
  const put = (body: object, headers = {}) => ada.call('PUT', `/accounts/${id}/schedule`, body, headers)
  const rearrange = (headers = {}, person: Person = ada) =>
    person.call('POST', `/accounts/${id}/schedule/rearrange`, undefined, headers)
  const order = async (limit: number) => (await slots(id, limit)).map(({ postId }) => postId ?? null)
  const timeOf = async (postId: string) => (await ada.call('GET', `/posts/${postId}`)).body.scheduledAt
  return { ...scene, id, queue, put, rearrange, order, timeOf }
}

t.test('queued posts move to the slots of a changed schedule, in their order', async (t) => {
  const { db, ada, id, queue, put, rearrange, order, slots, timeOf } = await createQueue(t, '09:00')
  const posts = [await queue(), await queue(), await queue(), await queue()]
  const before = await Promise.all(posts.map(timeOf))
  await ada.call('DELETE', `/posts/${posts[1]}`)
  const byHand = await queue({ scheduledAt: new Date(Date.parse(before[0]!) + 40 * 86_400_000).toISOString() })
  const byHandTime = await timeOf(byHand)
  const { headers } = await put(daily('10:00', '18:00'))
  t.strictSame(await Promise.all([posts[0]!, posts[2]!].map(timeOf)), [before[0], before[2]], 'a change moves none')

  const etag = String(headers.etag)
  const replies = await rearrange({ 'if-match': etag })
  const times = (await slots(id)).map(({ scheduledAt }) => scheduledAt)
  const left = [posts[0], posts[2], posts[3]]
  t.strictSame([replies.status, replies.headers.etag], [200, etag])
  t.strictSame(replies.body, {
    moved: left.map((postId, index) => ({
      postId,
      from: [before[0], before[2], before[3]][index],
      scheduledAt: times[index],
    })),
    stayed: 0,
  })
  t.strictSame(await order(4), [...left, null])
  t.equal(await timeOf(byHand), byHandTime)
  const events = await readAllEvents(db, ada, '&types=post.updated')
  t.same(
    events.map(({ data }) => data),
    left.map((postId, index) => ({
      postId,
      accountIds: [id],
      status: 'scheduled',
      scheduledAt: times[index],
      changed: ['scheduledAt'],
    })),
  )
  t.strictSame((await rearrange()).body, { moved: [], stayed: 3 }, 'repeated, it moves nothing')
})

t.test(
  'a schedule is an event when it changes, and replaced or rearranged only as the caller has seen it',
  async (t) => {
    const { db, ada, id, queue, put, rearrange, timeOf } = await createQueue(t, '09:00')
    const post = await queue()
    const time = await timeOf(post)
    const seen = (await put(daily('09:00'))).headers.etag
    const changed = await put(daily('11:00'))
    const refused = await rearrange({ 'if-match': String(seen) })
    t.strictSame([...errorOf(refused), refused.headers.etag], [412, 'precondition_failed', changed.headers.etag])
    t.equal(await timeOf(post), time)
    const lost = await put(daily('13:00'), { 'if-match': String(seen) })
    t.strictSame([...errorOf(lost), lost.headers.etag], [412, 'precondition_failed', changed.headers.etag])
    t.equal((await put(daily('11:00'), { 'if-match': String(lost.headers.etag) })).status, 200)
    const without = await ada.call('PUT', `/accounts/${await ada.account('x')}/schedule`, daily(), { 'if-match': '*' })
    t.strictSame(errorOf(without), [404, 'schedule_not_found'])
    const events = await readAllEvents(db, ada, '&types=account.updated')
    t.match(
      events.map(({ data }) => data),
      [1, 2].map(() => ({ accountId: id, platform: 'x', username: 'ada', changed: ['schedule'], actor: {} })),
      'not for the schedule that was stored twice',
    )
    t.equal(events.length, 2)
  },
)

t.test('a queue with too few slots is a conflict, and nothing moves', async (t) => {
  const { id, account, ada, queue, put, rearrange, timeOf } = await createQueue(t, '09:00')
  const posts = [await queue(), await queue()]
  const before = await Promise.all(posts.map(timeOf))
  const everyDay = Array.from({ length: 366 }, (_, day) =>
    new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10),
  )
  await put({ ...daily('09:00'), skip: everyDay })
  t.strictSame(errorOf(await rearrange()), [409, 'queue_full'])
  await put({ timeZone: 'UTC', slots: [] })
  t.strictSame(errorOf(await rearrange()), [409, 'queue_without_slots'])
  t.strictSame(await Promise.all(posts.map(timeOf)), before)
  const none = await ada.call('POST', `/accounts/${await account()}/schedule/rearrange`)
  t.strictSame(errorOf(none), [404, 'schedule_not_found'])
  t.ok(id)
})

t.test('posts that the caller may not change keep their slots', async (t) => {
  const { db, app, ada, user, organization, slots, create } = await createQueue(t)
  const bob = await user()
  const shared = await ada.account('x', { organizationId: await organization(ada, bob) })
  const put = (times: string[]) => ada.call('PUT', `/accounts/${shared}/schedule`, daily(...times))
  const rearrange = (person: Pick<Person, 'call'>) => person.call('POST', `/accounts/${shared}/schedule/rearrange`)
  const timeOf = async (person: Person, id: string) => (await person.call('GET', `/posts/${id}`)).body.scheduledAt
  await put(['09:00'])
  const mine = (await create([shared], NEXT)).body.id
  const his = (await create([shared], NEXT, bob)).body.id
  const before = await timeOf(bob, his)
  await put(Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:30`))
  const [first, second] = (await slots(shared, 2)).map(({ scheduledAt }) => scheduledAt)
  t.match((await rearrange(ada)).body, { moved: [{ postId: mine, scheduledAt: first }], stayed: 1 })
  t.strictSame([await timeOf(ada, mine), await timeOf(bob, his)], [first, before])
  t.match((await rearrange(bob)).body, { moved: [{ postId: his, scheduledAt: second }], stayed: 1 })
  t.strictSame([await timeOf(ada, mine), await timeOf(bob, his)], [first, second])
  const { key } = await createKey(db, { userId: bob.id, name: null, expiresAt: null, accountIds: [] })
  const limited = { call: (...request: Parameters<Person['call']>) => call(app, key, ...request) }
  t.strictSame(errorOf(await rearrange(limited)), [404, 'account_not_found'])
})
