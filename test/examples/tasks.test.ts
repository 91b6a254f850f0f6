import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { postroom, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'
import { jpeg } from '../helpers/upload.ts'

// Tasks of a program that integrates Postroom, and how many calls each takes. README.md beside it lists them.

/** A client that counts its calls. Fails on a status that is not the expected one. */
function createClient(api: string, key: string) {
  let calls = 0
  const send = async (path: string, status: number, init: RequestInit = {}): Promise<Response> => {
    calls++
    const headers = { authorization: `Bearer ${key}`, ...init.headers }
    const response = await fetch(`${api}${path}`, { ...init, headers })
    if (response.status !== status) {
      throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status} ${await response.text()}`)
    }
    return response
  }
  const call = async <T>(method: string, path: string, status: number, body?: object): Promise<T> => {
    const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    return (await send(path, status, { method, ...content })).json() as Promise<T>
  }
  const upload = async (bytes: Buffer): Promise<{ id: string }> => {
    const body = new FormData()
    body.append('file', new Blob([Uint8Array.from(bytes)], { type: 'image/jpeg' }), 'picture.jpg')
    return (await send('/media', 201, { method: 'POST', body })).json() as Promise<{ id: string }>
  }
  /** The type of a picture that a page shows. */
  const picture = async (path: string) => String((await send(path, 200)).headers.get('content-type'))
  /** The number of calls since it was last asked for. */
  const count = () => {
    const counted = calls
    calls = 0
    return counted
  }
  return { call, upload, picture, count }
}

interface Listed {
  data: { id: string; scheduledAt: string; deliveries: Record<string, number> }[]
  nextCursor: string | null
}

/** A service with its worker, and the operator's program, which may create users. */
async function startService(t: Test) {
  const env = {
    DATABASE_URL: await createDatabase(t),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  }
  const service = await runService('start', env)
  t.teardown(() => service.stop('SIGKILL'))
  const { api } = service.facts as { api: string }
  const run = async (...args: string[]) => JSON.parse((await postroom([...args, '--json'], env)).stdout)
  const { id: userId } = await run('user', 'create', '--name', 'our program')
  const operator = createClient(api, (await run('key', 'create', '--user', userId, '--scopes', 'admin')).key)
  return { api, operator }
}

t.test('five tasks of an integrator', async (t) => {
  const { api, operator } = await startService(t)

  const user = await operator.call<{ id: string }>('POST', '/users', 201, { name: 'Lighthouse Coffee' })
  const scopes = ['posts:read', 'posts:publish', 'accounts:read', 'accounts:connect']
  const body = { name: 'our backend', scopes }
  const { key } = await operator.call<{ key: string }>('POST', `/users/${user.id}/keys`, 201, body)
  const customer = createClient(api, key)
  const connect = (username: string) =>
    customer.call<{ id: string }>('POST', '/accounts', 201, { platform: 'sandbox', credentials: { username } })
  const accounts = [await connect('ada'), await connect('bob')]
  const accountIds = accounts.map(({ id }) => id)
  t.strictSame([operator.count(), customer.count()], [2, 2], 'onboarding: a user, a key, and one call for each account')

  const { data: limits } = await customer.call<{ data: unknown[] }>('GET', '/platforms', 200)
  t.ok(limits.length > 10)
  const tooLong = { accountIds, caption: 'a'.repeat(300), firstComment: 'b'.repeat(300) }
  const { violations } = await customer.call<{ violations: unknown[] }>('POST', '/posts/validate', 200, tooLong)
  t.equal(violations.length, 4, 'every mistake of every account')
  await customer.call('POST', '/posts', 201, { accountIds, caption: 'Open until ten' })
  t.equal(customer.count(), 3, 'composer: limits, all mistakes, create')

  const month = Array.from({ length: 247 }, (_, index) => ({
    accountIds,
    caption: `Post ${index}`,
    scheduledAt: new Date(Date.UTC(2030, 2, 1, index * 3)).toISOString(),
  }))
  const rows = [...month, ...Array.from({ length: 253 }, (_, index) => ({ accountIds, caption: `Idea ${index}` }))]
  for (let from = 0; from < rows.length; from += 100) {
    await customer.call('POST', '/posts/batch', 201, { posts: rows.slice(from, from + 100) })
  }
  t.equal(customer.count(), 5, '500 rows of a CSV file')

  const range = 'scheduledFrom=2030-03-01T00:00:00Z&scheduledBefore=2030-04-01T00:00:00Z'
  const entries: Listed['data'] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Listed = await customer.call(
      'GET',
      `/posts?${range}&include=deliveries&limit=100${cursor && `&cursor=${cursor}`}`,
      200,
    )
    entries.push(...page.data)
    cursor = page.nextCursor
  }
  t.equal(entries.length, 247)
  t.ok(entries.every(({ deliveries }) => deliveries.queued === 2))
  t.equal(customer.count(), 3, 'calendar: 247 posts, and what became of them')
  await customer.call('PATCH', `/posts/${entries[0]!.id}`, 200, { scheduledAt: '2030-03-31T12:00:00Z' })
  t.equal(customer.count(), 1, 'a post at another time')

  const accountOverrides = accountIds.map((accountId) => ({ accountId, fields: { fault: 'content_refused' } }))
  const refused = { accountIds, caption: 'Refused', accountOverrides, scheduledAt: new Date().toISOString() }
  await customer.call('POST', '/posts/batch', 201, { posts: Array.from({ length: 20 }, () => refused) })
  await until(
    'all deliveries have failed',
    async () => (await customer.call<Listed>('GET', '/deliveries?state=failed&limit=100', 200)).data.length,
    { intervalMs: 200, isMet: (failed) => failed === 40 },
  )
  customer.count()
  const failed = await customer.call<Listed>('GET', '/deliveries?state=failed&limit=100', 200)
  t.equal(failed.data.length, 40)
  const { retried } = await customer.call<{ retried: unknown[] }>('POST', '/deliveries/retry', 200, {})
  t.equal(retried.length, 40)
  t.equal(customer.count(), 2, 'status page: what failed and why, and all of it again')
})

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']

t.test('a week of an agency: 12 accounts with slots, and 60 posts', async (t) => {
  const { api, operator } = await startService(t)
  const user = await operator.call<{ id: string }>('POST', '/users', 201, { name: 'Lighthouse Agency' })
  const scopes = ['posts:read', 'posts:publish', 'accounts:read', 'accounts:connect']
  const { key } = await operator.call<{ key: string }>('POST', `/users/${user.id}/keys`, 201, { name: 'desk', scopes })
  const agency = createClient(api, key)
  const accountIds: string[] = []
  for (let number = 0; number < 12; number++) {
    const body = { platform: 'sandbox', credentials: { username: `customer-${number}` } }
    accountIds.push((await agency.call<{ id: string }>('POST', '/accounts', 201, body)).id)
  }
  agency.count()
  const slots = WEEKDAYS.map((weekday) => ({ weekday, time: '09:30' }))
  for (const id of accountIds) {
    await agency.call('PUT', `/accounts/${id}/schedule`, 200, { timeZone: 'Europe/Berlin', slots })
  }
  t.equal(agency.count(), 12, 'slots: one call for each account')

  const posts = accountIds.flatMap((id) =>
    WEEKDAYS.map((weekday) => ({ accountIds: [id], caption: `For ${weekday}`, schedule: { queue: 'next' } })),
  )
  const created = await agency.call<{ data: { slots: { scheduledAt: string }[] }[] }>('POST', '/posts/batch', 201, {
    posts,
  })
  const times = Map.groupBy(created.data, ({ slots }) => slots[0]!.scheduledAt)
  t.strictSame(
    [...times.values()].map((list) => list.length),
    [12, 12, 12, 12, 12],
    'each account, once a day',
  )
  t.equal(agency.count(), 1, '60 posts in their slots')

  const days = await agency.call<{ data: { key: string; count: number }[] }>(
    'GET',
    '/posts/counts?by=day&timeZone=Europe/Berlin',
    200,
  )
  t.equal(days.data.length, 5)
  const week = await agency.call<Listed>('GET', '/posts?status=scheduled&include=deliveries&limit=100', 200)
  t.equal(week.data.length, 60)
  t.equal(agency.count(), 2, 'the week: how many posts a day, and all of them')

  const [first] = accountIds
  const urgent = { accountIds: [first], caption: 'We open at noon', schedule: { queue: 'front' } }
  const { slots: taken } = await agency.call<{ slots: { scheduledAt: string }[] }>('POST', '/posts', 201, urgent)
  t.equal(taken[0]!.scheduledAt, [...times.keys()].sort()[0])
  t.equal(agency.count(), 1, 'a post before the others, which move on')
})

t.test('a composer that shows what each network gets', async (t) => {
  const { api, operator } = await startService(t)
  const user = await operator.call<{ id: string }>('POST', '/users', 201, { name: 'Lighthouse Coffee' })
  const scopes = ['posts:read', 'posts:publish', 'accounts:read', 'accounts:connect', 'media:read', 'media:write']
  const { key } = await operator.call<{ key: string }>('POST', `/users/${user.id}/keys`, 201, { name: 'app', scopes })
  const composer = createClient(api, key)
  for (const username of ['ada', 'bob']) {
    await composer.call('POST', '/accounts', 201, { platform: 'sandbox', credentials: { username } })
  }
  composer.count()
  const accounts = await composer.call<Listed>('GET', '/accounts', 200)
  const file = await composer.upload(await jpeg(1200, 900))
  const post = {
    accountIds: accounts.data.map(({ id }) => id),
    caption: 'Open until ten: https://example.com #coffee',
    mediaIds: [file.id],
    mediaFit: 'auto',
  }
  const { targets, violations } = await composer.call<{
    targets: { parts: { text: string; files: { mediaId: string }[] }[] }[]
    violations: unknown[]
  }>('POST', '/posts/validate?include=parts', 200, post)
  t.strictSame([targets.length, violations], [2, []])
  for (const { parts } of targets) t.match(parts, [{ text: post.caption, files: [{ mediaId: file.id }] }])
  const picture = await composer.picture(`/media/${file.id}/preview?width=320`)
  t.match(picture, /^image\//)
  await composer.call('POST', '/posts', 201, { ...post, scheduledAt: '2030-03-01T09:00:00Z' })
  t.equal(composer.count(), 5, 'accounts, file, the post as each account gets it, its picture, create')

  const month = '/posts?scheduledFrom=2030-03-01T00:00:00Z&scheduledBefore=2030-04-01T00:00:00Z&include=media'
  const { data } = await composer.call<{ data: { media: { previewUrl: string }[] }[] }>('GET', month, 200)
  const shown = await fetch(new URL(data[0]!.media[0]!.previewUrl, api))
  t.equal(shown.status, 200)
  t.equal(composer.count(), 1, 'a calendar with pictures: one call, and the addresses need no key')
})
