import { sql } from 'kysely'
import t from 'tap'
import { connect, readPool } from '../../db/client.ts'
import { generateSecret, hashKey } from '../../src/features/auth/key.ts'
import { until } from '../helpers/until.ts'
import { createScene } from './scene.ts'

t.test('requests without a key use a quarter of the connections, and others have the rest', async (t) => {
  const { app, db, databaseUrl, user, register, post } = await createScene(t, { poolMax: 8 })
  const ada = await user()
  const clientId = await register()
  const admin = connect({ url: databaseUrl, poolMax: 1 })
  t.teardown(() => admin.destroy())
  const forms = [
    () => ({ grant_type: 'refresh_token', refresh_token: generateSecret('refreshToken') }),
    () => ({ grant_type: 'authorization_code', code: generateSecret('authorizationCode'), code_verifier: 'a' }),
  ]
  await admin.transaction().execute(async (transaction) => {
    await sql`lock table oauth_tokens, oauth_codes in access exclusive mode`.execute(transaction)
    const strangers = Array.from({ length: 40 }, (_, index) =>
      post('/oauth/token', { client_id: clientId, ...forms[index % forms.length]!() }),
    )
    t.teardown(() => Promise.all(strangers))
    await until('two of them wait for the database', () => readPool(db).inUse === 2)
    const { statusCode } = await app.inject({
      url: '/api/v1/accounts',
      headers: { authorization: `Bearer ${ada.key}` },
    })
    t.equal(statusCode, 200)
    t.equal(readPool(db).inUse, 2)
  })
})

t.test('exchanges of one code hold one connection together', async (t) => {
  const { db, databaseUrl, user, register, begin, approve, post } = await createScene(t, { poolMax: 12 })
  const ada = await user()
  const clientId = await register()
  const { path, verifier } = begin({ client_id: clientId })
  const code = (await approve(path, ada.key)).searchParams.get('code')!
  const admin = connect({ url: databaseUrl, poolMax: 1 })
  t.teardown(() => admin.destroy())
  const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
  const exchanges = await admin.transaction().execute(async (transaction) => {
    await sql`select from oauth_codes where hash = ${hashKey(code)} for update`.execute(transaction)
    const sent = Array.from({ length: 20 }, () => post('/oauth/token', form))
    await until('one waits for the code', () => readPool(db).inUse === 1)
    return sent
  })
  const statuses = (await Promise.all(exchanges)).map(({ status }) => status)
  t.ok(statuses.includes(200), String(statuses))
  t.equal(statuses.filter((status) => status === 200).length, 1)
})

t.test('documents of one host are looked up 30 times a minute, and those of another all the same', async (t) => {
  const redirectUri = 'https://app.example/callback'
  const respond = async (url: string | URL | Request) =>
    Response.json({ client_id: String(url), client_name: 'App', redirect_uris: [redirectUri] })
  const { app, begin } = await createScene(t, { fetch: respond as typeof fetch })
  const ask = async (clientId: string) =>
    (await app.inject(begin({ client_id: clientId, redirect_uri: redirectUri }).path)).statusCode
  const statuses = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(`https://one.example/${index}`)))
  for (let index = 12; index < 40; index++) statuses.push(await ask(`https://one.example/${index}`))
  t.equal(statuses.filter((status) => status === 200).length, 30)
  t.equal(await ask('https://two.example/app'), 200)
  t.equal(await ask('https://one.example/0'), 200, 'one that is known needs no look')
})
