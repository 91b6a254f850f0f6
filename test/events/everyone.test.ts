import t, { type Test } from 'tap'
import type { Event } from '../../schemas/event.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Person } from '../helpers/app.ts'
import { numberEvents, readAllEvents } from '../helpers/events.ts'
import { until } from '../helpers/until.ts'

const UNKNOWN_ID = '0196f0a1-1111-7d20-9b4f-61d8e2a5c047'

async function createScene(t: Test) {
  const world = await createWorld(t)
  const [operator, ada, bob] = [await world.user(), await world.user(), await world.user()]
  /** A program with a key of the operator. */
  const program = async (scopes: Scope[] = ['admin', 'posts:read', 'accounts:read']) => {
    const { id, key } = await createKey(world.db, { userId: operator.id, name: null, expiresAt: null, scopes })
    const reader: Person = { ...operator, key, call: (...request) => call(world.app, key, ...request) }
    return { ...reader, keyId: id }
  }
  const accounts = new Map([
    [ada.id, await ada.account()],
    [bob.id, await bob.account('x', { username: 'bob' })],
  ])
  const draft = async (person: Person, accountIds = [accounts.get(person.id)!]) =>
    (await person.call('POST', '/posts', { accountIds, caption: 'a' })).body.id as string
  return { ...world, operator, ada, bob, program, accounts, draft }
}

const withoutUser = ({ userId: _, ...event }: Event) => event

t.test('a program reads the events of all users in one stream, each with its user', async (t) => {
  const { db, ada, bob, program, draft } = await createScene(t)
  for (const person of [ada, bob, bob, ada]) await draft(person)
  const reader = await program()
  const all = await readAllEvents(db, reader, '&allUsers=true&types=post.*')
  t.strictSame(
    all.map(({ userId }) => userId),
    [ada.id, bob.id, bob.id, ada.id],
    'in the order in which they were written',
  )
  for (const { id, ...person } of [ada, bob]) {
    t.strictSame(
      all.filter(({ userId }) => userId === id).map(withoutUser),
      await readAllEvents(db, { id, ...person }, '&types=post.*'),
    )
  }
  const [event] = all
  t.strictSame((await reader.call('GET', `/events/${event!.id}?allUsers=true`)).body, event)
  t.equal((await reader.call('GET', `/events/${event!.id}`)).status, 404)
})

t.test('the cursor of all users is that of every program, and of no user', async (t) => {
  const { db, ada, program, draft } = await createScene(t)
  const reader = await program()
  const { nextCursor } = (await reader.call('GET', '/events?allUsers=true&after=now')).body
  const id = await draft(ada)
  await numberEvents(db)
  const { body } = await (await program()).call('GET', `/events?allUsers=true&types=post.*&after=${nextCursor}`)
  t.strictSame([body.data.length, body.data[0].data.postId], [1, id])
  t.equal((await reader.call('GET', `/events?after=${nextCursor}`)).status, 400)
  const own = (await reader.call('GET', '/events?after=now')).body.nextCursor
  t.equal((await reader.call('GET', `/events?allUsers=true&after=${own}`)).status, 400)
})

t.test('events of an organisation are those that concern its accounts alone', async (t) => {
  const { db, ada, bob, organization, program, accounts, draft } = await createScene(t)
  const organizationId = await organization(ada, bob)
  const shared = await ada.account('mastodon', { organizationId })
  const posts = [await draft(ada, [shared]), await draft(bob, [shared])]
  await draft(ada, [shared, accounts.get(ada.id)!])
  await draft(bob)
  const events = await readAllEvents(db, await program(), `&organizationId=${organizationId}`)
  const ofPosts = events.filter(({ type }) => type.startsWith('post.'))
  t.strictSame(
    ofPosts.map(({ userId, data }) => [userId, (data as { postId: string }).postId]),
    [
      [ada.id, posts[0]],
      [bob.id, posts[1]],
    ],
  )
  const ofAccounts = events.filter(({ type }) => type === 'account.connected')
  t.same(
    ofAccounts.map(({ userId, data }) => [userId, (data as { accountId: string }).accountId]),
    [
      [ada.id, shared],
      [bob.id, shared],
    ].toSorted((a, b) => Number(a[0] === ofAccounts[1]!.userId) - Number(b[0] === ofAccounts[1]!.userId)),
    'once for each member',
  )
})

t.test('only a key with the scope admin reads events of other users, as far as its scopes go', async (t) => {
  const { db, ada, program, draft } = await createScene(t)
  const id = await draft(ada)
  await numberEvents(db)
  const event = (await ada.call('GET', '/events?types=post.*')).body.data[0]
  const others = [await program(SCOPE_NAMES.filter((scope) => scope !== 'admin')), ada]
  const paths = ['/events?allUsers=true', `/events?organizationId=${UNKNOWN_ID}`, `/events/${event.id}?allUsers=true`]
  for (const reader of others) {
    for (const path of paths) {
      const { status, headers } = await reader.call('GET', path)
      t.strictSame([status, headers['x-error-code']], [403, 'insufficient_scope'], path)
    }
  }
  const onlyUsers = await program(['admin'])
  for (const path of ['/events', '/events?allUsers=true', `/events/${event.id}`, `/events/${event.id}?allUsers=true`]) {
    const { status, body } = await onlyUsers.call('GET', path)
    t.strictSame([status, body.error], [403, 'This API key lacks the scope posts:read'], path)
  }
  t.equal((await (await program(['admin', 'posts:read'])).call('GET', '/events?allUsers=true&types=key.*')).status, 403)
  const { data } = (await (await program(['admin', 'posts:read'])).call('GET', '/events?allUsers=true')).body
  t.strictSame(
    data.map(({ data: { postId } }: { data: { postId: string } }) => postId),
    [id],
  )
  const missing = await (await program()).call('GET', `/events?organizationId=${UNKNOWN_ID}`)
  t.strictSame([missing.status, missing.headers['x-error-code']], [404, 'organization_not_found'])
})

t.test('a request that waits gets the event of any user, and ends when its key loses its rights', async (t) => {
  const { app, db, ada, draft, program } = await createScene(t)
  const wait = async () => {
    const reader = await program()
    const { nextCursor } = (await reader.call('GET', '/events?allUsers=true&after=now')).body
    const path = `/events?allUsers=true&types=post.*&wait=20&after=${nextCursor}`
    const change = (values: object) => db.updateTable('apiKeys').set(values).where('id', '=', reader.keyId).execute()
    return { response: call(app, reader.key, 'GET', path), change }
  }
  const first = await wait()
  const id = await draft(ada)
  await numberEvents(db)
  const { body } = await first.response
  t.strictSame([body.data.length, body.data[0].userId, body.data[0].data.postId], [1, ada.id, id])

  const revoked = await wait()
  await revoked.change({ revokedAt: new Date() })
  t.equal((await revoked.response).status, 401)

  // A busy machine may read the event for a request that did not wait yet: its key was valid when it came.
  await until('a request that waits gets a 403', async () => {
    const narrowed = await wait()
    await narrowed.change({ scopes: ['posts:read'] })
    await draft(ada)
    await numberEvents(db)
    return (await narrowed.response).status === 403
  })
})

t.test('a deleted user leaves no event, and nobody else loses one', async (t) => {
  const { db, ada, bob, program, draft } = await createScene(t)
  const reader = await program()
  for (const person of [ada, bob, ada, bob]) await draft(person)
  await numberEvents(db)
  const path = '/events?allUsers=true&types=post.*'
  const first = (await reader.call('GET', `${path}&limit=1`)).body
  await db.deleteFrom('events').where('userId', '=', ada.id).execute()
  const ofBob = await readAllEvents(db, bob, '&types=post.*')
  const idsAfter = async (query: string) =>
    (await reader.call('GET', `${path}${query}`)).body.data.map(({ id }: Event) => id)
  t.strictSame(
    await idsAfter(`&after=${first.nextCursor}`),
    ofBob.map(({ id }) => id),
  )
  const { numberedAt } = await db
    .selectFrom('events')
    .select('numberedAt')
    .where('id', '=', ofBob[1]!.id)
    .executeTakeFirstOrThrow()
  t.ok((await idsAfter(`&from=${numberedAt.toISOString()}`)).includes(ofBob[1]!.id), 'times are found beside the gaps')
  t.strictSame(await idsAfter('&from=2200-01-01T00:00:00Z'), [])
})

t.test('a cursor from before the time that events are kept is a 410 with the oldest one', async (t) => {
  const { db, ada, program, draft } = await createScene(t)
  const reader = await program()
  const start = (await reader.call('GET', '/events?allUsers=true&limit=1')).body.nextCursor
  await draft(ada)
  await numberEvents(db)
  await db.deleteFrom('events').execute()
  const kept = await draft(ada)
  await numberEvents(db)
  const { status, body } = await reader.call('GET', `/events?allUsers=true&after=${start}`)
  t.equal(status, 410)
  const { data } = (await reader.call('GET', `/events?allUsers=true&after=${body.oldest}&types=post.*`)).body
  t.strictSame(
    data.map(({ data: { postId } }: { data: { postId: string } }) => postId),
    [kept],
  )
})
