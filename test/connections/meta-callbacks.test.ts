import t, { type Test } from 'tap'
import { newId } from '../../db/id.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { signRequest, userRequest } from '../helpers/signed-request.ts'

const APP = { clientId: '998877665544', clientSecret: 'fedcba9876543210fedcba9876543210' }
const USER = '10223344556677'
const HOUR_SECONDS = 3_600

const now = () => Math.floor(Date.now() / 1000)

const signed = (more: object = {}, secret = APP.clientSecret) => signRequest(userRequest(USER, more), secret)

const sign = (payload: object | string) => signRequest(payload, APP.clientSecret)

const CREDENTIALS: Record<string, string> = { accessToken: 'EAAItoken', userId: USER }

interface Connected {
  credentials?: Record<string, string>
  platform?: string
  externalId?: string
  appId?: string
}

/** The service with an app of Facebook, and a user of it. */
async function createMetaWorld(t: Test) {
  recordSecrets('credentials', APP.clientSecret)
  const world = await createWorld(t, { oauthApps: { facebook: APP, threads: APP } })
  const { app, db, keyring } = world
  const ada = await world.user('ada')
  return {
    ...world,
    ada,
    /** Connects an account with an app. Returns its id. */
    async connect({ credentials = CREDENTIALS, ...row }: Connected = {}) {
      const id = await ada.account('facebook', { username: 'a-page', credentials })
      await db
        .updateTable('accounts')
        .set({ clientId: APP.clientId, displayName: 'A Page', externalId: newId(), ...row })
        .where('id', '=', id)
        .execute()
      return id
    },
    /** Stores an app of a user, as `PUT /apps/facebook` does. */
    async storeApp(person: Person, clientId: string, clientSecret: string) {
      recordSecrets('credentials', clientSecret)
      const id = newId()
      const row = { ...keyring.seal(id, { clientSecret }), id, userId: person.id, platform: 'facebook', clientId }
      await db.insertInto('oauthApps').values(row).execute()
      return id
    },
    accounts: async () => (await ada.call('GET', '/accounts')).body.data,
    async call(
      callback: 'deauthorize' | 'delete-data',
      request?: string,
      { platform = 'facebook', clientId = APP.clientId } = {},
    ) {
      const reply = await app.inject({
        method: 'POST',
        url: `/connect/meta/${platform}/${clientId}/${callback}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: String(new URLSearchParams(request === undefined ? {} : { signed_request: request })),
      })
      return { status: reply.statusCode, body: reply.json() }
    },
    read: async (url: string) => {
      const { statusCode: status, body, headers } = await app.inject({ url: new URL(url).pathname })
      return { status, body, headers }
    },
  }
}

t.test('when a user removes the app, the credentials that the user gave are deleted', async (t) => {
  const { connect, call, accounts } = await createMetaWorld(t)
  const first = await connect()
  const second = await connect()
  const other = await connect({ credentials: { accessToken: 'EAAIother', userId: '7' } })
  t.same(await call('deauthorize', signed()), { status: 200, body: { success: true } })
  t.same(
    (await accounts()).map(({ id, attention }: { id: string; attention?: { code: string } }) => [id, attention?.code]),
    [
      [first, 'not_connected'],
      [second, 'not_connected'],
      [other, undefined],
    ],
  )
  t.equal((await call('deauthorize', signed())).status, 200, 'the call may be repeated')
})

t.test('credentials that were stored after the user removed the app are kept', async (t) => {
  const { connect, call, accounts } = await createMetaWorld(t)
  await connect()
  t.equal((await call('deauthorize', signed({ issued_at: now() - HOUR_SECONDS }))).status, 200)
  t.equal((await accounts())[0].attention, undefined)
})

t.test('when a user asks for deletion, the accounts are deleted, and a page confirms it', async (t) => {
  const { db, connect, call, accounts, read } = await createMetaWorld(t)
  const id = await connect()
  const other = await connect({ credentials: { accessToken: 'EAAIother', userId: '7' } })
  const { status, body } = await call('delete-data', signed())
  t.equal(status, 200)
  t.equal(body.url, `https://postroom.example/connect/meta/deletions/${body.confirmation_code}`)
  t.same(
    (await accounts()).map(({ id }: { id: string }) => id),
    [other],
  )
  const columns = ['username', 'displayName', 'externalId', 'limitKey'] as const
  const row = await db.selectFrom('accounts').select(columns).where('id', '=', id).executeTakeFirst()
  t.same(row, { username: 'deleted', displayName: null, externalId: null, limitKey: null })
  const rows = await db.selectFrom('accountCredentials').select('accountId').execute()
  t.same(rows, [{ accountId: other }])

  const page = await read(body.url)
  t.equal(page.status, 200)
  t.match(page.headers['content-type'], /^text\/plain/)
  t.match(page.body, new Date().toISOString().slice(0, 10))
  for (const forged of [`${body.url}a`, `${body.url.slice(0, -1)}`, body.url.replace(/deletions\/./, 'deletions/z')]) {
    t.equal((await read(forged)).status, 404, forged)
  }
})

t.test('an account whose id is that of the user belongs to the user, also without credentials', async (t) => {
  const { db, connect, call, accounts } = await createMetaWorld(t)
  const id = await connect({ platform: 'threads', externalId: USER, credentials: { accessToken: 'THtoken' } })
  await db.deleteFrom('accountCredentials').where('accountId', '=', id).execute()
  t.equal((await call('delete-data', signed(), { platform: 'threads' })).status, 200)
  t.same(await accounts(), [])
})

t.test('only requests that the secret of the app has signed are carried out', async (t) => {
  const { connect, call, accounts } = await createMetaWorld(t)
  await connect()
  const [signature, payload] = signed().split('.')
  const forged = [
    undefined,
    '',
    '.',
    'a.b',
    payload,
    `.${payload}`,
    `${signature}.`,
    `${signature}.${payload}.`,
    `${signature}.${Buffer.from(JSON.stringify(userRequest('7'))).toString('base64url')}`,
    signed({}, 'another-secret'),
    signed({ algorithm: 'HMAC-SHA1' }),
    signed({ algorithm: undefined }),
    signed({ user_id: undefined }),
    signed({ user_id: 'a' }),
    signed({ issued_at: undefined }),
    signed({ issued_at: 1e20 }),
    sign('not JSON'),
    sign('null'),
    sign('[]'),
  ]
  for (const each of forged) {
    for (const callback of ['deauthorize', 'delete-data'] as const) {
      t.equal((await call(callback, each)).status, 400, String(each))
    }
  }
  t.equal((await call('deauthorize', signed(), { clientId: '7' })).status, 400, 'an app that is not known')
  t.equal((await call('deauthorize', signed(), { platform: 'x' })).status, 404)
  t.equal((await accounts())[0].attention, undefined)
})

t.test('an id above 2^53 is read exactly, also as a number', async (t) => {
  const { connect, call, accounts } = await createMetaWorld(t)
  await connect({ credentials: { accessToken: 'EAAItoken', userId: '12345678901234567' } })
  const request = (id: string) => sign(`{"user_id":${id},"algorithm":"HMAC-SHA256","issued_at":${now()}}`)
  t.equal((await call('deauthorize', request('12345678901234568'))).status, 200)
  t.equal((await accounts())[0].attention, undefined)
  t.equal((await call('deauthorize', request('12345678901234567'))).status, 200)
  t.equal((await accounts())[0].attention.code, 'not_connected')
})

t.test('an app that a user stored concerns the accounts that were connected with it alone', async (t) => {
  const { user, connect, storeApp, call, accounts } = await createMetaWorld(t)
  const mallory = await user('mallory')
  const appId = await storeApp(mallory, APP.clientId, 'the-secret-of-mallory')
  await connect()
  const ofApp = await connect({ appId })
  t.equal((await call('delete-data', signed({}, 'the-secret-of-mallory'))).status, 200)
  const [left, ...others] = await accounts()
  t.same(others, [])
  t.not(left.id, ofApp)
  t.equal(left.attention, undefined)
})

t.test('other bodies are refused', async (t) => {
  const { app } = await createMetaWorld(t)
  const url = `/connect/meta/facebook/${APP.clientId}/deauthorize`
  const bodies: [string | undefined, string | undefined][] = [
    ['application/json', '{"signed_request":"a.b"}'],
    ['text/plain', 'signed_request=a.b'],
    [undefined, undefined],
  ]
  for (const [type, payload] of bodies) {
    const headers = type === undefined ? {} : { 'content-type': type }
    const { statusCode } = await app.inject({ method: 'POST', url, headers, ...(payload && { payload }) })
    t.equal(statusCode, 400, `${type}`)
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const large = await app.inject({ method: 'POST', url, headers, payload: `signed_request=${'a'.repeat(20_000)}` })
  t.equal(large.statusCode, 413)
  t.strictSame(large.json(), { error: 'Request body is larger than 16 KiB' })
})
