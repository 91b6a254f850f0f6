import { randomBytes } from 'node:crypto'
import t from 'tap'
import { postroom, runService } from '../helpers/command.ts'
import { copyDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'

// Five tasks of a program that integrates Postroom, and how many calls each takes. README.md beside it lists them.

/** A client that counts its calls. Fails on a status that is not the expected one. */
function createClient(api: string, key: string) {
  let calls = 0
  const call = async <T>(method: string, path: string, status: number, body?: object): Promise<T> => {
    calls++
    const response = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as T
  }
  /** The number of calls since it was last asked for. */
  const count = () => {
    const counted = calls
    calls = 0
    return counted
  }
  return { call, count }
}

interface Listed {
  data: { id: string; scheduledAt: string; deliveries: Record<string, number> }[]
  nextCursor: string | null
}

t.test('five tasks of an integrator', async (t) => {
  const env = {
    DATABASE_URL: await copyDatabase(t, 'template0'),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  }
  const service = await runService('start', env)
  t.teardown(() => service.stop('SIGKILL'))
  const { api } = service.facts as { api: string }
  const run = async (...args: string[]) => JSON.parse((await postroom([...args, '--json'], env)).stdout)
  const { id: userId } = await run('user', 'create', '--name', 'our program')
  const operator = createClient(api, (await run('key', 'create', '--user', userId, '--scopes', 'admin')).key)

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
    { timeoutMs: 60_000, intervalMs: 200, isMet: (failed) => failed === 40 },
  )
  customer.count()
  const failed = await customer.call<Listed>('GET', '/deliveries?state=failed&limit=100', 200)
  t.equal(failed.data.length, 40)
  const { retried } = await customer.call<{ retried: unknown[] }>('POST', '/deliveries/retry', 200, {})
  t.equal(retried.length, 40)
  t.equal(customer.count(), 2, 'status page: what failed and why, and all of it again')
})
