import t from 'tap'
import { SCOPE_NAMES } from '../../schemas/scopes.ts'
import { type Event, Postroom } from '../../src/clients/sdk/index.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { createWorld } from '../helpers/app.ts'
import { numberEvents } from '../helpers/events.ts'
import { type Answer, scriptService } from '../helpers/scripted-service.ts'
import { until } from '../helpers/until.ts'

async function createScene(t: Parameters<typeof createWorld>[0]) {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const client = new Postroom({ key: ada.key, baseUrl })
  const accountIds = [await ada.account()]
  const write = async () => {
    const { id } = await client.posts.create({ accountIds })
    await numberEvents(db)
    return id
  }
  /** A program for all users. */
  const program = async () => {
    const { id: userId } = await user()
    const { key } = await createKey(db, { userId, name: null, expiresAt: null, scopes: SCOPE_NAMES })
    return new Postroom({ key, baseUrl })
  }
  return { client, write, program, ada }
}

const postOf = (event: Event) => (event.type === 'post.created' ? event.data.postId : event.type)

t.test('follow gives every event once, in order, and waits for those that come later', async (t) => {
  const { client, write } = await createScene(t)
  const before = [await write(), await write(), await write()]
  const leaving = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    const events = client.events.follow({ types: ['post.*'], limit: 2 }, { signal: leaving.signal })
    for await (const event of events) seen.push(postOf(event))
  })()
  await until('the events before are there', () => seen.length === 3)
  const later = [await write(), await write()]
  await until('the later events are there', () => seen.length === 5)
  t.strictSame(seen, [...before, ...later])
  const reason = new Error('the program ends')
  leaving.abort(reason)
  t.equal(await following.catch((error) => error), reason)
})

t.test('a program with a key of the scope admin follows all users', async (t) => {
  const { write, program, ada } = await createScene(t)
  const id = await write()
  const client = await program()
  for await (const event of client.events.follow({ allUsers: true, types: ['post.created'] })) {
    t.strictSame([event.userId, postOf(event)], [ada.id, id])
    t.strictSame(await client.events.get(event.id, { allUsers: true }), event)
    break
  }
})

t.test('a program that stores the cursor of each page goes on where it ended', async (t) => {
  const { client, write } = await createScene(t)
  const written = [await write(), await write(), await write(), await write(), await write()]
  const query = { types: ['post.created' as const], limit: 2 }
  let cursor: string | undefined
  const handled: string[] = []
  for (let run = 0; run < 3; run++) {
    for await (const { data, nextCursor } of client.events
      .follow({ ...query, ...(cursor && { after: cursor }) })
      .pages()) {
      handled.push(...data.map(postOf))
      cursor = nextCursor
      break
    }
  }
  t.strictSame(handled, written)
  const first = await client.events.list(query)
  t.strictSame([first.data.length, first.hasMore], [2, true])
  t.strictSame(await client.events.get(first.data[0]!.id), first.data[0])
})

t.test('follow goes on through failures of the service, and begins with from only once', async (t) => {
  const page = (id: number): Answer => ({
    status: 200,
    body: { data: [{ id: String(id) }], nextCursor: `cursor-${id}`, hasMore: false },
  })
  const busy = { status: 503, headers: { 'retry-after': '0' }, body: { error: 'Database not available' } }
  const lost: Answer = (response) => response.socket!.destroy()
  const { client, seen } = await scriptService(t, [page(1), busy, busy, busy, lost, page(2), () => {}])
  const ids: string[] = []
  for await (const { id } of client.events.follow({ from: '2030-01-01T00:00:00Z' })) {
    ids.push(id)
    if (ids.length === 2) break
  }
  t.strictSame(ids, ['1', '2'])
  const queries = seen.map(({ url }) => url.replace('/api/v1/events?', ''))
  t.equal(queries[0], 'from=2030-01-01T00%3A00%3A00Z&wait=20')
  t.strictSame([...new Set(queries.slice(1))], ['wait=20&after=cursor-1'])
})

t.test('an expired cursor and a refused key end it', async (t) => {
  const expired = { status: 410, headers: { 'x-error-code': 'cursor_expired' }, body: { error: 'Gone', oldest: 'abc' } }
  for (const [answer, error] of [
    [expired, { name: 'CursorExpired', oldest: 'abc' }],
    [{ status: 401, body: { error: 'API key expired' } }, { name: 'Unauthorized' }],
  ] as [Answer, { name: string }][]) {
    const { client, seen } = await scriptService(t, [answer])
    await t.rejects(client.events.follow().then(), error)
    t.equal(seen.length, 1)
  }
})
