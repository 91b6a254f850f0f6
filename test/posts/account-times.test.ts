import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { readAllEvents } from '../helpers/events.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const HOUR = 3_600_000
const FIRST = '2030-01-01T09:00:00.000Z'
const SECOND = '2030-01-02T09:00:00.000Z'
const THIRD = '2030-01-03T09:00:00.000Z'

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const [bluesky, mastodon] = [await ada.account('bluesky'), await ada.account('mastodon')]
  const bodyOf = (body: object) => ({ accountIds: [bluesky, mastodon], caption: 'Hi', ...body })
  const create = (body: object) => ada.call('POST', '/posts', bodyOf(body))
  const patch = (id: string, body: object) => ada.call('PATCH', `/posts/${id}`, body)
  /** The time of a post, and those of its accounts, as the API shows them. */
  const times = async (id: string) => {
    const { scheduledAt, targets } = (await ada.call('GET', `/posts/${id}`)).body
    return [scheduledAt, ...targets.map((target: { scheduledAt: unknown }) => target.scheduledAt)]
  }
  return { ...world, ada, bluesky, mastodon, bodyOf, create, patch, times }
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
const issuesOf = ({ body }: any) => body.details.map(({ path, message }: any) => [path.join('.'), message])

async function createPublishingScene(t: Test) {
  const [bluesky, mastodon] = [scriptedNetwork(), scriptedNetwork()]
  const world = await createDeliveryWorld(t, { bluesky, mastodon })
  const ids = { bluesky: await world.connectAccount('bluesky'), mastodon: await world.connectAccount('mastodon') }
  /** A time as many hours from now. */
  const inHours = (hours: number) => new Date(world.time.now.getTime() + hours * HOUR).toISOString()
  /** A post that is due on Mastodon at its own time. */
  const post = (own: string, scheduledAt: string) =>
    world.post({
      accountIds: [ids.bluesky, ids.mastodon],
      caption: 'Hi',
      scheduledAt,
      accountOverrides: [{ accountId: ids.mastodon, scheduledAt: own }],
    })
  const sent = () => ({ bluesky: bluesky.posts.length, mastodon: mastodon.posts.length })
  return { ...world, bluesky, mastodon, ids, inHours, post, sent }
}

t.test('each account gets the post at its own time, from which its lateness counts', async (t) => {
  const { db, ada, ids, inHours, post, sent, work, readDelivery, readStatus } = await createPublishingScene(t)
  const [ownTime, postTime] = [inHours(3), inHours(1)]
  const late = await post(ownTime, postTime)
  const early = await post(postTime, ownTime)
  await work()
  t.strictSame([sent(), await readStatus(late)], [{ bluesky: 0, mastodon: 0 }, 'scheduled'])
  await work(2 * HOUR)
  t.strictSame(sent(), { bluesky: 1, mastodon: 1 }, 'one account of each post')
  t.strictSame([await readStatus(late), await readStatus(early)], ['published', 'published'])
  await work(2 * HOUR)
  t.strictSame(sent(), { bluesky: 2, mastodon: 2 })
  for (const id of [late, early]) {
    const lateness = [await readDelivery(id, ids.bluesky), await readDelivery(id, ids.mastodon)].map(
      ({ latenessMs }) => latenessMs,
    )
    t.strictSame(lateness, [HOUR, HOUR])
  }
  const events = (await readAllEvents(db, ada)).filter(({ type }) => type === 'delivery.published')
  const timesOf = (id: string) =>
    events.flatMap(({ data }) =>
      'accountId' in data && 'postId' in data && data.postId === id
        ? [
            [
              data.accountId,
              (data as { scheduledAt?: string }).scheduledAt,
              (data as { latenessMs?: number }).latenessMs,
            ],
          ]
        : [],
    )
  t.strictSame(timesOf(late), [
    [ids.bluesky, postTime, HOUR],
    [ids.mastodon, ownTime, HOUR],
  ])
})

t.test('a cancelled delivery that is retried waits for its own time', async (t) => {
  const { ada, ids, inHours, post, sent, work } = await createPublishingScene(t)
  const id = await post(inHours(3), inHours(1))
  const path = `/posts/${id}/deliveries/${ids.mastodon}`
  t.equal((await ada.call('POST', `${path}/cancel`)).status, 200)
  t.equal((await ada.call('POST', `${path}/retry`)).status, 202)
  await work(2 * HOUR)
  t.strictSame(sent(), { bluesky: 1, mastodon: 0 })
  await work(2 * HOUR)
  t.strictSame(sent(), { bluesky: 1, mastodon: 1 })
})

t.test('publishing a post now publishes it to all accounts, whose own times end', async (t) => {
  const { db, ada, ids, inHours, post, sent, work, mastodon, readDelivery } = await createPublishingScene(t)
  const id = await post(inHours(30), inHours(20))
  const { body } = await ada.call('POST', `/posts/${id}/publish`)
  t.strictSame(
    body.targets.map(({ scheduledAt }: { scheduledAt: unknown }) => scheduledAt),
    [null, null],
  )
  mastodon.steps.push({ isAccepted: false, error: refusal('rejected', { retryable: false }) })
  await work(HOUR)
  t.strictSame([sent(), (await readDelivery(id, ids.mastodon)).state], [{ bluesky: 1, mastodon: 0 }, 'failed'])
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${ids.mastodon}/retry`)).status, 202)
  await work(HOUR)
  t.strictSame(sent(), { bluesky: 1, mastodon: 1 }, 'a retry does not wait for the time that it had')
  const updates = (await readAllEvents(db, ada)).filter(({ type }) => type === 'post.updated')
  t.strictSame(
    updates.map(({ data }) => (data as { changed?: unknown }).changed),
    [['scheduledAt', 'overrides']],
  )
})

t.test('a patch moves one account, and another time of the post moves the others alone', async (t) => {
  const { db, ada, bluesky, mastodon, create, patch, times } = await createScene(t)
  const own = [{ accountId: mastodon, scheduledAt: SECOND }]
  const { id } = (await create({ scheduledAt: FIRST, accountOverrides: own })).body
  t.strictSame(await times(id), [FIRST, null, SECOND])
  const dueTimes = async () => {
    const rows = await db.selectFrom('postTargets').select(['dueAt', 'claimableAt']).orderBy('position').execute()
    return rows.map(({ dueAt, claimableAt }) => {
      t.strictSame(dueAt, claimableAt)
      return dueAt?.toISOString() ?? null
    })
  }
  t.strictSame(await dueTimes(), [FIRST, SECOND])

  const etag = (await ada.call('GET', `/posts/${id}`)).headers.etag
  t.equal((await patch(id, { overrides: { [mastodon]: { scheduledAt: THIRD } } })).status, 200)
  t.not((await ada.call('GET', `/posts/${id}`)).headers.etag, etag)
  t.strictSame(
    [await times(id), await dueTimes()],
    [
      [FIRST, null, THIRD],
      [FIRST, THIRD],
    ],
  )
  await patch(id, { scheduledAt: SECOND })
  t.strictSame(
    [await times(id), await dueTimes()],
    [
      [SECOND, null, THIRD],
      [SECOND, THIRD],
    ],
  )
  await patch(id, { overrides: { [mastodon]: { captionOverride: 'Hello' }, [bluesky]: { scheduledAt: SECOND } } })
  t.strictSame(await times(id), [SECOND, SECOND, THIRD], 'a time equal to that of the post is its own as well')
  await patch(id, { scheduledAt: FIRST })
  t.strictSame(
    [await times(id), await dueTimes()],
    [
      [FIRST, SECOND, THIRD],
      [SECOND, THIRD],
    ],
  )
  await patch(id, { overrides: { [bluesky]: null, [mastodon]: { scheduledAt: null } } })
  t.strictSame(
    [await times(id), await dueTimes()],
    [
      [FIRST, null, null],
      [FIRST, FIRST],
    ],
  )
  await patch(id, { accountOverrides: own })
  t.strictSame(await times(id), [FIRST, null, SECOND])
  await patch(id, { accountIds: [bluesky] })
  await patch(id, { accountIds: [bluesky, mastodon] })
  t.strictSame(await times(id), [FIRST, null, null], 'an account that was removed has lost its time')

  const changes = (await readAllEvents(db, ada)).flatMap(({ type, data }) =>
    type === 'post.updated' ? [(data as { changed?: unknown }).changed] : [],
  )
  t.strictSame(changes.slice(0, 2), [['overrides'], ['scheduledAt']])
})

t.test('a draft has no times: its accounts lose theirs, and get none without one of the post', async (t) => {
  const { mastodon, create, patch, times } = await createScene(t)
  const accountOverrides = [{ accountId: mastodon, scheduledAt: SECOND }]
  const problem = 'Must come with scheduledAt of the post: a draft has no times'
  const draft = await create({ accountOverrides })
  t.strictSame([draft.status, issuesOf(draft)], [400, [['accountOverrides.0.scheduledAt', problem]]])
  const { id } = (await create({ scheduledAt: FIRST, accountOverrides })).body
  t.match(await patch(id, { scheduledAt: null }), { status: 200, body: { status: 'draft' } })
  t.strictSame(await times(id), [null, null, null])
  const refused = await patch(id, { overrides: { [mastodon]: { scheduledAt: SECOND } } })
  t.strictSame([refused.status, issuesOf(refused)], [400, [[`overrides.${mastodon}.scheduledAt`, problem]]])
  await patch(id, { scheduledAt: FIRST, overrides: { [mastodon]: { scheduledAt: SECOND } } })
  t.strictSame(await times(id), [FIRST, null, SECOND])
})

t.test('a local time of an account is in the time zone of the post', async (t) => {
  const { mastodon, create, patch, times } = await createScene(t)
  const own = (scheduledAt: string) => ({ accountOverrides: [{ accountId: mastodon, scheduledAt }] })
  const berlin = { scheduledAt: '2027-10-31T09:30:00', timeZone: 'Europe/Berlin' }
  const { id } = (await create({ ...berlin, ...own('2027-10-30T09:30') })).body
  t.strictSame(await times(id), ['2027-10-31T08:30:00.000Z', null, '2027-10-30T07:30:00.000Z'])
  const doubled = await create({ ...berlin, ...own('2027-10-31T02:30:00') })
  t.equal(doubled.status, 400)
  t.match(issuesOf(doubled), [['accountOverrides.0.scheduledAt', /occurs twice in Europe\/Berlin.*set fold/]])
  const later = (await create({ ...berlin, fold: 'later', ...own('2027-10-31T02:30:00') })).body.id
  t.strictSame((await times(later))[2], '2027-10-31T01:30:00.000Z')

  await patch(id, { overrides: { [mastodon]: { scheduledAt: '2027-11-01T09:30:00' } } })
  t.strictSame((await times(id))[2], '2027-11-01T08:30:00.000Z', 'the zone is that of the stored post')
  await patch(id, { timeZone: 'America/New_York' })
  t.strictSame(await times(id), ['2027-10-31T13:30:00.000Z', null, '2027-11-01T08:30:00.000Z'])

  const problem =
    /^Invalid datetime: no time zone given, .*, or send scheduledAt of the post as a local time with timeZone$/
  const zoneless = await create({ scheduledAt: FIRST, ...own('2027-10-30T09:30:00') })
  t.match([zoneless.status, issuesOf(zoneless)], [400, [['accountOverrides.0.scheduledAt', problem]]])
})

t.test('wrong times of accounts are refused, and nothing is stored', async (t) => {
  const { ada, mastodon, bodyOf } = await createScene(t)
  const paths = [
    ...['2030-01-01', '10000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00', '2030-02-30T00:00:00Z', '', 5, {}].map(
      (scheduledAt) => ({ accountId: mastodon, scheduledAt, path: ['accountOverrides', 0, 'scheduledAt'] }),
    ),
    { accountId: 'other', scheduledAt: FIRST, path: ['accountOverrides', 0, 'accountId'] },
  ]
  for (const { path, ...override } of paths) {
    const body = bodyOf({ scheduledAt: FIRST, accountOverrides: [override] })
    const issue = { status: 400, body: { details: [{ path }] } }
    t.match(await ada.call('POST', '/posts', body), issue, JSON.stringify(override))
    const inBatch = { status: 400, body: { details: [{ path: ['posts', 0, ...path] }] } }
    t.match(await ada.call('POST', '/posts/batch', { posts: [body] }), inBatch)
  }
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])
})

t.test('a time of an account in the past is due immediately, with a warning that names it', async (t) => {
  const { ada, mastodon, bodyOf, times } = await createScene(t)
  const past = '2020-01-01T00:00:00.000Z'
  const body = bodyOf({ scheduledAt: FIRST, accountOverrides: [{ accountId: mastodon, scheduledAt: past }] })
  const warning = {
    code: 'past_time',
    path: ['accountOverrides', 0, 'scheduledAt'],
    accountId: mastodon,
    message: 'mastodon (@ada): scheduledAt is in the past: the post is due immediately',
  }
  const isPast = ({ code }: { code: string }) => code === 'past_time'
  const created = (await ada.call('POST', '/posts', body)).body
  t.strictSame(created.warnings.filter(isPast), [warning])
  t.strictSame(await times(created.id), [FIRST, null, past])
  t.match(await ada.call('POST', '/posts?strict=true', body), { status: 400 })
  const patched = await ada.call('PATCH', `/posts/${created.id}`, { caption: 'Hello' })
  t.strictSame(patched.body.warnings.filter(isPast), [{ ...warning, path: ['overrides', mastodon, 'scheduledAt'] }])
  const batch = await ada.call('POST', '/posts/batch', { posts: [body] })
  t.strictSame(batch.body.data[0].warnings.filter(isPast), [warning])
  t.strictSame(await times(batch.body.data[0].id), [FIRST, null, past])
})
