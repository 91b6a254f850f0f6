import t from 'tap'
import { threadsAdapter } from '../../src/platforms/threads/adapter.ts'
import { actOf, clientOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startThreads } from '../networks/fakes/threads.ts'

const { send, remove } = clientOf(threadsAdapter)
const HOUR_AGO = { publishedAt: new Date(Date.now() - 3_600_000) }

t.test('a post that cannot be seen for a while is not taken for a removed one', async (t) => {
  const fake = await startThreads(t)
  const act = actOf()
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  const absent = {
    status: 400,
    body: { error: { message: 'Object does not exist', code: 100, error_subcode: 33, type: 'GraphMethodException' } },
  }
  const down = { status: 503, body: 'Service Unavailable' }
  const path = `/v1.0/${published.id}`
  const cases = [
    { name: 'it is shown', faults: [{ on: `DELETE ${path}`, instead: absent }] },
    {
      name: 'Threads is down',
      faults: [
        { on: `DELETE ${path}`, instead: absent },
        { on: 'GET /v1.0/me', instead: down },
      ],
    },
  ]
  for (const { name, faults } of cases) {
    fake.faults.push(...faults)
    t.has(await rejection(remove(published, fake.credentials, ioOf(fake))), { retryable: true }, name)
  }
  const recent = { ...published, id: '1', publishedAt: new Date() }
  t.match(await rejection(remove(recent, fake.credentials, ioOf(fake))), { retryable: true, retryAfterMs: Number })
  t.equal(fake.posts.length, 1)
  await remove(published, fake.credentials, ioOf(fake))
  t.same(fake.posts, [])
})

t.test('the limit of deletions pauses the account', async (t) => {
  const fake = await startThreads(t)
  const act = actOf()
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)), HOUR_AGO)
  fake.quota.deletes = 0
  t.has(await rejection(remove(published, fake.credentials, ioOf(fake))), { code: 'rate_limited', retryable: true })
})
