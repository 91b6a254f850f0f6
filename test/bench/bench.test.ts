import t from 'tap'
import { createFolder } from '../helpers/app.ts'
import { createDatabase, type Teardown } from '../helpers/database.ts'
import { createPeople, idAt, loadPosts, type Person } from './data.ts'
import { request, runLoad } from './load.ts'
import { type Running, startBaseline, startService } from './processes.ts'
import { createPostBody, listAfter, listAt, WORKLOADS } from './workloads.ts'

// A comparison of speed is only valid if both servers do the same work.

const { service, baseline, people, ada } = await startBoth(t)

t.test('the baseline returns the same pages as the service', async (t) => {
  const paths = [
    '/api/v1/posts',
    '/api/v1/posts?limit=100&offset=7',
    '/api/v1/posts?offset=1000',
    `/api/v1/posts?cursor=${idAt(30)}`,
    '/api/v1/accounts',
  ]
  for (const path of paths) {
    const read = request('GET', path, ada.key)
    t.same(JSON.parse(await send(baseline, read)), JSON.parse(await send(service, read)), path)
  }
})

t.test('the baseline and the service store and delete the same post', async (t) => {
  const post = createPostBody(ada)
  for (const [creator, other] of [
    [service, baseline],
    [baseline, service],
  ] as const) {
    const { id, status } = JSON.parse(await send(creator, request('POST', '/api/v1/posts', ada.key, post), 201))
    t.equal(status, 'scheduled')
    const [first] = JSON.parse(await send(other, request('GET', '/api/v1/posts', ada.key))).data
    const { caption, scheduledAt } = first
    t.strictSame(
      { id: first.id, status: first.status, caption, scheduledAt },
      { id, status: 'scheduled', caption: post.caption, scheduledAt: post.scheduledAt.replace('Z', '.000Z') },
    )
    const { targets } = JSON.parse(await send(service, request('GET', `/api/v1/posts/${id}`, ada.key)))
    t.same(
      targets.map(({ accountId, captionOverride }: Record<string, unknown>) => ({ accountId, captionOverride })),
      ada.accountIds.map((accountId) => ({
        accountId,
        captionOverride:
          post.accountOverrides.find((override) => override.accountId === accountId)?.captionOverride ?? null,
      })),
    )
    t.same(JSON.parse(await send(other, request('DELETE', `/api/v1/posts/${id}`, ada.key))), { success: true })
  }
})

t.test('both servers answer every workload with the expected statuses', async (t) => {
  for (const [name, workload] of [
    ...Object.entries(WORKLOADS),
    ['offset', listAt(10)] as const,
    ['cursor', listAfter(idAt(10))] as const,
  ]) {
    for (const server of [service, baseline]) {
      const generators = people.map((person) => workload(person))
      // Throws at an unexpected status.
      const { requests } = await runLoad(server.port, people.length, (index) => generators[index]!(), { requests: 120 })
      t.equal(requests, 120, name)
    }
  }
})

async function startBoth(t: Teardown) {
  const databaseUrl = await createDatabase(t)
  const people = await createPeople(databaseUrl, 2)
  for (const person of people) await loadPosts(databaseUrl, person, 150)
  const service = await startService({ DATABASE_URL: databaseUrl, MEDIA_DIR: await createFolder(t) })
  t.teardown(() => service.stop())
  const baseline = await startBaseline(databaseUrl)
  t.teardown(() => baseline.stop())
  const [ada] = people as [Person]
  return { service, baseline, people, ada }
}

/** Sends one request and returns the body of the response. Throws at another status. */
async function send({ port }: Running, bytes: Buffer, status = 200): Promise<string> {
  let body = ''
  const onBody = (received: string) => {
    body = received
  }
  await runLoad(port, 1, () => ({ bytes, status, onBody }), { requests: 1 })
  return body
}
