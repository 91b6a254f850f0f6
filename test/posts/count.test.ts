import { sql } from 'kysely'
import t from 'tap'
import { COUNTED_POSTS_MAX } from '../../db/queries/find/counts.ts'
import { createWorld } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { BEGIN, type KnownPost, type KnownTarget, storeManyPosts, timeOf, timesOf } from '../helpers/many-posts.ts'
import { collectProblems } from '../helpers/problems.ts'
import { checkIssues, toRaw } from '../helpers/rejections.ts'

const { db, user } = await createWorld(t)
const ada = repeating(await user())
const posts = await storeManyPosts(db, ada, 300, 4)
await storeManyPosts(db, await user(), 10, 4)

/** Counts values, as the service returns them. */
function countNaively(values: string[]) {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([value, count]) => ({ value, count }))
}

const deliveries = posts.flatMap((post) => post.targets.map((target) => ({ ...target, post })))

t.test(
  'posts are counted by status and by day, and deliveries by state and account, with the filters of the list',
  async (t) => {
    // Midnight is within the times of these posts.
    const azores = 'timeZone=Atlantic/Azores'
    const dayOf = (time: Date) => new Date(time.getTime() - 3_600_000).toISOString().slice(0, 10)
    /** Each day of a post once. */
    const daysOf = (timesOf: (post: KnownPost) => (Date | null)[]) =>
      posts.flatMap((post) => [...new Set(timesOf(post).flatMap((time) => (time ? [dayOf(time)] : [])))])
    /** Not the time of a post all of whose accounts have others. */
    const publishedAt = (post: KnownPost) => post.targets.map((target) => timeOf(post, target))
    const [{ accountId }] = deliveries as [(typeof deliveries)[number]]
    const [from, before] = [new Date(BEGIN + 15 * 60_000), new Date(BEGIN + 70 * 60_000)]
    const times = `scheduledFrom=${from.toISOString()}&scheduledBefore=${before.toISOString()}`
    const isListed = (time: Date | null) => time !== null && time >= from && time < before
    const isDue = (delivery: (typeof deliveries)[number]) => isListed(timeOf(delivery.post, delivery))
    const isFailed = ({ state }: KnownTarget) => state === 'failed'
    const onX = posts.filter(({ targets }) => targets.some(({ platform }) => platform === 'x'))
    const cases: [query: string, expected: string[]][] = [
      ['by=status', posts.map(({ status }) => status)],
      ['by=status&status=draft', posts.filter(({ status }) => status === 'draft').map(({ status }) => status)],
      ['by=status&platform=x', onX.map(({ status }) => status)],
      ['by=state', deliveries.map(({ state }) => state)],
      [
        'by=state&status=published',
        deliveries.filter(({ post }) => post.status === 'published').map(({ state }) => state),
      ],
      ['by=account', deliveries.map(({ accountId }) => accountId)],
      [
        'by=account&state=failed',
        deliveries.filter(({ state }) => state === 'failed').map(({ accountId }) => accountId),
      ],
      [
        `by=state&accountId=${accountId}`,
        deliveries.filter((each) => each.accountId === accountId).map(({ state }) => state),
      ],
      [`by=day&${azores}`, daysOf(publishedAt)],
      [`by=day&${azores}&${times}`, daysOf((post) => publishedAt(post).filter(isListed))],
      [
        `by=day&${azores}&state=failed`,
        daysOf((post) => post.targets.filter(isFailed).map((target) => timeOf(post, target))),
      ],
      [
        `by=day&${azores}&${times}&accountId=${accountId}`,
        daysOf((post) =>
          post.targets
            .filter((target) => target.accountId === accountId)
            .map((target) => timeOf(post, target))
            .filter(isListed),
        ),
      ],
      [`by=status&${times}`, posts.filter((post) => timesOf(post).some(isListed)).map(({ status }) => status)],
      [
        `by=status&${times}&state=failed`,
        posts
          .filter((post) => post.targets.some((target) => isFailed(target) && isListed(timeOf(post, target))))
          .map(({ status }) => status),
      ],
      [`by=state&${times}`, deliveries.filter(isDue).map(({ state }) => state)],
      [
        `by=account&${times}&state=failed`,
        deliveries.filter((delivery) => isDue(delivery) && isFailed(delivery)).map(({ accountId }) => accountId),
      ],
      ['by=state&platform=youtube', []],
    ]
    const { problems, check } = collectProblems()
    for (const [query, expected] of cases) {
      const { status, body } = await ada.call('GET', `/posts/counts?${query}`)
      check([status, body], [200, { data: countNaively(expected), capped: false }], query)
    }
    t.strictSame(problems, [])
  },
)

t.test('a day begins and ends as it does in its time zone, also where the clocks change', async (t) => {
  const bob = repeating(await user())
  const accountIds = [await bob.account()]
  const schedule = (scheduledAt: string) => bob.call('POST', '/posts', { accountIds, caption: 'hi', scheduledAt })
  for (const time of [
    // In Berlin, 29 March 2026 has 23 hours, and 25 October has 25.
    '2026-03-28T22:59:59Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T21:59:59Z',
    '2026-03-29T22:00:00Z',
    '2026-10-24T21:59:59Z',
    '2026-10-24T22:00:00Z',
    '2026-10-25T22:59:59Z',
    '2026-10-25T23:00:00Z',
  ]) {
    t.equal((await schedule(time)).status, 201)
  }
  const countsIn = async (timeZone: string) => {
    const { body } = await bob.call('GET', `/posts/counts?by=day&timeZone=${encodeURIComponent(timeZone)}`)
    return Object.fromEntries(body.data.map(({ value, count }: { value: string; count: number }) => [value, count]))
  }
  const inBerlin = {
    '2026-03-28': 1,
    '2026-03-29': 2,
    '2026-03-30': 1,
    '2026-10-24': 1,
    '2026-10-25': 2,
    '2026-10-26': 1,
  }
  t.strictSame(await countsIn('Europe/Berlin'), inBerlin)
  t.strictSame(await countsIn('UTC'), { '2026-03-28': 2, '2026-03-29': 2, '2026-10-24': 2, '2026-10-25': 2 })
  t.strictSame(await countsIn('Pacific/Kiritimati'), {
    '2026-03-29': 2,
    '2026-03-30': 2,
    '2026-10-25': 2,
    '2026-10-26': 2,
  })
})

t.test('counts stop at 10,000 posts and say so', async (t) => {
  const bob = repeating(await user())
  const { body } = await bob.call('POST', '/posts', { accountIds: [await bob.account()] })
  // In parts, each well within the time that a statement may take.
  for (let stored = 0; stored < COUNTED_POSTS_MAX; stored += 1_000) {
    await sql`
      insert into posts (user_id, id, caption, post_type, status)
      select user_id, gen_random_uuid(), '', 'post', 'published' from posts, generate_series(1, 1000)
      where id = ${body.id}`.execute(db)
  }
  const all = (await bob.call('GET', '/posts/counts?by=status')).body
  t.equal(all.capped, true)
  t.equal(
    all.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    COUNTED_POSTS_MAX,
  )
  const drafts = (await bob.call('GET', '/posts/counts?by=status&status=draft')).body
  t.strictSame(drafts, { data: [{ value: 'draft', count: 1 }], capped: false })
})

t.test('an unknown or malformed parameter is a 400', async (t) => {
  const cases: [query: string, code: string, path: (string | number)[]][] = [
    ['', 'invalid_type', ['by']],
    ['by=caption', 'invalid_enum_value', ['by']],
    ['by=day&timezone=UTC', 'unrecognized_keys', []],
    ['by=status&limit=1', 'unrecognized_keys', []],
    ['by=status&status=none', 'invalid_enum_value', ['status', 0]],
    ['by=status&scheduledFrom=now', 'invalid_string', ['scheduledFrom']],
    ...[
      'Berlin',
      '',
      'europe',
      'CET',
      'EST5EDT',
      '+02:00',
      'Europe/Atlantis',
      'Europe/Berlin%00',
      "UTC'",
      'a'.repeat(64),
    ].map((zone): [string, string, string[]] => [`by=day&timeZone=${zone}`, 'custom', ['timeZone']]),
    [`by=day&timeZone=${'a'.repeat(65)}`, 'too_big', ['timeZone']],
  ]
  const { problems, check } = collectProblems()
  for (const [query, code, path] of cases) {
    checkIssues(check, toRaw(await ada.call('GET', `/posts/counts?${query}`)), [{ code, path }], query)
  }
  t.strictSame(problems, [])
})
