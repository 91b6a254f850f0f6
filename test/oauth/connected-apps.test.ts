import t from 'tap'
import { call } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'
import { sweepNow } from '../helpers/sweeps.ts'
import { until } from '../helpers/until.ts'
import { createScene } from './scene.ts'

t.test('a user sees the apps that are connected, and ends one', async (t) => {
  const { app, user, connect } = await createScene(t)
  const [ada, bob] = [await user(), await user()]
  const { clientId, tokens } = await connect(ada.key)
  const { body } = await ada.call('GET', '/connected-apps')
  const [connected] = body.data
  const expected = {
    ...{ id: connected.id, name: 'Test app', clientId, redirectUri: 'https://app.example/callback' },
    ...{ scopes: tokens.scope.split(' '), accountIds: null, expiresAt: null, lastUsedAt: null },
    createdAt: connected.createdAt,
  }
  t.strictSame(body.data, [expected])

  t.strictSame((await bob.call('GET', '/connected-apps')).body.data, [])
  t.equal((await bob.call('DELETE', `/connected-apps/${connected.id}`)).status, 404)
  const { body: own } = await ada.call('GET', '/key')
  t.equal((await ada.call('DELETE', `/connected-apps/${own.id}`)).status, 404, 'a key of no app')
  t.equal((await ada.call('DELETE', `/connected-apps/${connected.id}`)).status, 200)
  t.equal((await ada.call('DELETE', `/connected-apps/${connected.id}`)).status, 404)
  t.strictSame((await ada.call('GET', '/connected-apps')).body.data, [])
  await until('the token is rejected', async () => (await call(app, tokens.access_token, 'GET', '/key')).status === 401)
})

t.test('a code of the command takes the place of a key, once', async (t) => {
  const { origin, db, user, register, begin, approve, submit } = await createScene(t)
  const ada = await user()
  const { stdout } = await postroom(['mcp', 'approve', '--json'], { POSTROOM_URL: origin, POSTROOM_KEY: ada.key })
  const { code } = JSON.parse(stdout)
  t.match(code, /^\d{4}-\d{4}$/)
  const { path } = begin({ client_id: await register() })
  t.ok((await approve(path, code)).searchParams.get('code'))
  t.equal((await submit(path, { key: code })).status, 400, 'a second time')

  const { body } = await ada.call('POST', '/connected-apps/codes')
  await db
    .updateTable('oauthApprovals')
    .set({ expiresAt: new Date(0) })
    .execute()
  t.equal((await submit(path, { key: body.code })).status, 400, 'too late')
  for (let number = 0; number < 20; number++) await ada.call('POST', '/connected-apps/codes')
  t.equal((await ada.call('POST', '/connected-apps/codes')).status, 429)
})

t.test('codes cannot be guessed: ten wrong ones a minute from one network', async (t) => {
  const { user, register, begin, submit } = await createScene(t)
  const { path } = begin({ client_id: await register() })
  const statuses = []
  for (let number = 0; number < 12; number++) {
    statuses.push((await submit(path, { key: `0000-00${String(number).padStart(2, '0')}` })).status)
  }
  t.strictSame([statuses[9], statuses.at(-1)], [400, 429])
  t.equal((await submit(path, { key: (await user()).key })).status, 429)
})

t.test('a sweep deletes what has expired, and ends the apps that have no token any more', async (t) => {
  const world = await createScene(t)
  const { db, user, connect, register } = world
  const ada = await user()
  const kept = await connect(ada.key)
  const [used] = (await ada.call('GET', '/connected-apps')).body.data
  await connect(ada.key)
  const unused = await register()
  const past = new Date(0)
  await db.updateTable('oauthTokens').set({ expiresAt: past }).where('keyId', '!=', used.id).execute()
  await db.updateTable('oauthCodes').set({ expiresAt: past }).execute()
  await db.updateTable('oauthClients').set({ expiresAt: past }).where('id', '=', unused).execute()
  await sweepNow(world)
  const { data } = (await ada.call('GET', '/connected-apps')).body
  t.strictSame(
    data.map(({ id }: { id: string }) => id),
    [used.id],
  )
  const count = async (table: 'oauthTokens' | 'oauthCodes' | 'oauthClients') =>
    (await db.selectFrom(table).selectAll().execute()).length
  t.strictSame([await count('oauthTokens'), await count('oauthCodes'), await count('oauthClients')], [2, 0, 2])
  const { data: keys } = (await ada.call('GET', '/keys')).body
  t.equal(keys.length, 2, "the user's own, and that of one app")
  t.ok(kept.tokens)
})
