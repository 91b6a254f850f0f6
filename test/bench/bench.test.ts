import t, { type Test } from 'tap'
import { createFolder } from '../helpers/app.ts'
import { createDatabase } from '../helpers/database.ts'
import { createPeople, idAt, loadPosts, type Person } from './data.ts'
import { type Request, request, runLoad } from './load.ts'
import { type Running, startLimit, startService } from './processes.ts'
import { listAfter, listAt, POST_OF, WORKLOADS } from './workloads.ts'

/** The benchmarks compare like with like, or their figures say nothing. */
t.test('the yardstick gives the answers of the service', async (t) => {
  const { service, limit, people } = await createContest(t)
  const [ada] = people as [Person]
  const read = [
    '/api/v1/posts',
    '/api/v1/posts?limit=100&offset=7',
    '/api/v1/posts?offset=1000',
    `/api/v1/posts?cursor=${idAt(30)}`,
    '/api/v1/accounts',
  ]
  for (const path of read) {
    const [ours, theirs] = await Promise.all(
      [service, limit].map((server) => ask(server, request('GET', path, ada.key))),
    )
    t.same(JSON.parse(theirs!), JSON.parse(ours!), path)
  }
  for (const [server, other] of [
    [service, limit],
    [limit, service],
  ] as const) {
    const { id, status } = JSON.parse(await ask(server, request('POST', '/api/v1/posts', ada.key, POST_OF(ada)), 201))
    t.equal(status, 'scheduled')
    const page = JSON.parse(await ask(other, request('GET', '/api/v1/posts', ada.key)))
    t.match(page.data[0], {
      id,
      caption: POST_OF(ada).caption,
      status: 'scheduled',
      scheduledAt: POST_OF(ada).scheduledAt.replace('Z', '.000Z'),
    })
    const post = JSON.parse(await ask(service, request('GET', `/api/v1/posts/${id}`, ada.key)))
    t.same(
      post.targets.map(({ accountId, captionOverride }: Record<string, unknown>) => ({ accountId, captionOverride })),
      ada.accountIds.map((accountId) => ({
        accountId,
        captionOverride:
          POST_OF(ada).accountOverrides.find((override) => override.accountId === accountId)?.captionOverride ?? null,
      })),
    )
    t.same(JSON.parse(await ask(other, request('DELETE', `/api/v1/posts/${id}`, ada.key))), { success: true })
  }
})

t.test('all that is measured is answered as it should be', async (t) => {
  const { service, limit, people } = await createContest(t)
  for (const [name, workload] of [
    ...Object.entries(WORKLOADS),
    ['offset', listAt(10)] as const,
    ['cursor', listAfter(idAt(10))] as const,
  ]) {
    for (const server of [service, limit]) {
      const next = people.map((person) => workload(person))
      const { requests } = await runLoad(server.port, people.length, (number) => next[number]!(), { requests: 120 })
      t.equal(requests, 120, name)
    }
  }
})

async function createContest(t: Test): Promise<{ service: Running; limit: Running; people: Person[] }> {
  const databaseUrl = await createDatabase(t)
  const people = await createPeople(databaseUrl, 2)
  for (const person of people) await loadPosts(databaseUrl, person, 150)
  const service = await startService({ DATABASE_URL: databaseUrl, MEDIA_DIR: await createFolder(t) })
  t.teardown(() => service.stop())
  const limit = await startLimit(databaseUrl)
  t.teardown(() => limit.stop())
  return { service, limit, people }
}

async function ask({ port }: Running, bytes: Buffer, status = 200): Promise<string> {
  let answer = ''
  const once: Request = {
    bytes,
    status,
    onBody: (body) => {
      answer = body
    },
  }
  await runLoad(port, 1, () => once, { requests: 1 })
  return answer
}
