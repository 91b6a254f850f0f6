import t, { type Test } from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Reply } from '../helpers/app.ts'
import { numberEvents } from '../helpers/events.ts'
import { callTool, withKey } from '../helpers/mcp.ts'
import { until } from '../helpers/until.ts'

const SCOPES = ['posts:read', 'accounts:read'] as const

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('x')
  const reader = await createKey(world.db, { userId: ada.id, name: null, expiresAt: null, scopes: SCOPES })
  const { nextCursor } = (await ada.call('GET', '/events?after=now')).body
  /** A request that waits, of a key that the process knows. */
  const wait = async (key: string, query = ''): Promise<{ response: Promise<Reply> }> => {
    const known = () => call(world.app, key, 'GET', `/events?after=${nextCursor}`)
    await until('the key is valid', known, { isMet: ({ status }) => status === 200 })
    return { response: call(world.app, key, 'GET', `/events?after=${nextCursor}&wait=20${query}`) }
  }
  const write = async () => {
    await ada.call('POST', '/posts', { accountIds: [account], caption: 'a' })
    await numberEvents(world.db)
  }
  const change = (values: object) => world.db.updateTable('apiKeys').set(values).where('id', '=', reader.id).execute()
  return { ...world, ada, account, reader, wait, write, change, nextCursor }
}

t.test('a request that waits ends when its key is revoked, in a process that does not hear of it', async (t) => {
  const { wait, reader, change } = await createScene(t)
  const { response } = await wait(reader.key)
  // As another process does.
  await change({ revokedAt: new Date() })
  const { status, headers } = await response
  t.strictSame([status, headers['x-error-code'], headers['www-authenticate']], [401, 'invalid_api_key', 'Bearer'])
})

t.test('an event that comes after the revocation is not sent to who waits', async (t) => {
  // A busy machine may read the event for a request that did not wait yet: its key was valid when it came.
  await until('a request that waits gets a 401', async () => {
    const { wait, reader, change, write } = await createScene(t)
    const { response } = await wait(reader.key)
    await change({ revokedAt: new Date() })
    await write()
    return (await response).status === 401
  })
})

t.test('a request that waits ends when its key expires, or its user is deleted', async (t) => {
  const { wait, reader, change, db } = await createScene(t)
  const { response: expiring } = await wait(reader.key)
  await change({ expiresAt: new Date(Date.now() - 1) })
  t.equal((await expiring).headers['x-error-code'], 'expired_api_key')
  await change({ expiresAt: null })
  const { response: deleted } = await wait(reader.key)
  await db.deleteFrom('apiKeys').where('id', '=', reader.id).execute()
  t.equal((await deleted).status, 401)
})

t.test('what a key may see while it waits is what it may see now', async (t) => {
  // A busy machine may read the first events for a request that did not wait yet.
  await until('a request that waits gets no events of posts', async () => {
    const { wait, reader, change, write, ada, db } = await createScene(t)
    const { response } = await wait(reader.key)
    await change({ scopes: ['accounts:read'] })
    await write()
    const other = await ada.account('mastodon')
    await db.updateTable('accounts').set({ disconnectedAt: new Date() }).where('id', '=', other).execute()
    await numberEvents(db)
    const { status, body } = await response
    return status === 200 && !body.data.some(({ type }: { type: string }) => type.startsWith('post.'))
  })
})

t.test('other keys of the user go on waiting', async (t) => {
  const { wait, reader, change, write, ada } = await createScene(t)
  const [{ response: ended }, { response: kept }] = [await wait(reader.key), await wait(ada.key, '&types=post.*')]
  await change({ revokedAt: new Date() })
  t.equal((await ended).status, 401)
  await write()
  t.strictSame((await kept).body.data.length, 1)
})

t.test('a tool that waits ends like the request', async (t) => {
  const scene = await createScene(t)
  const { db, ada, nextCursor } = scene
  const { isError, body } = await until('a tool waits when its key is revoked', async () => {
    const agent = await withKey(scene, ada, { scopes: [...SCOPES] })
    t.equal((await callTool(agent, 'list_events', { after: nextCursor })).isError, false)
    // A busy machine may receive the call after the revocation: then it is not a call of a tool.
    const response = callTool(agent, 'list_events', { after: nextCursor, wait: 20 }).catch(() => undefined)
    await db.updateTable('apiKeys').set({ revokedAt: new Date() }).where('id', '!=', scene.reader.id).execute()
    return response
  })
  t.strictSame([isError, body.status, body.code], [true, 401, 'invalid_api_key'])
})
