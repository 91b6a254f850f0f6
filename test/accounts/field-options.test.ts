import t, { type Test } from 'tap'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { ListFieldOptionsQuery } from '../../schemas/field-options.ts'
import * as operations from '../../schemas/operations/index.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import type { FieldOptions } from '../../src/platforms/contract/adapter.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { call, createWorld } from '../helpers/app.ts'
import { networks } from '../helpers/networks.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

type Read = FieldOptions['read']

/** A service with one network, whose fields `boardId` and `boardSectionId` are listed by `read`. */
async function createOptionsWorld(t: Test, read: Read) {
  const options = { boardId: { read }, boardSectionId: { needs: ['boardId'], read } }
  const world = await createWorld(t, { networks: { x: { ...scriptedNetwork(), options } } })
  const ada = await world.user()
  const connect = (credentials = { accessToken: 'token-of-ada' }) => ada.account('x', { credentials })
  const list = (account: string, path = 'boardId') => ada.call('GET', `/accounts/${account}/options/${path}`)
  return { ...world, ada, connect, list }
}

const lighthouses = { value: '1', label: 'Lighthouses', details: { pins: 3, tags: ['sea', null] } }

t.test('the values of a field are those that the network lists for the account', async (t) => {
  const calls: unknown[] = []
  const { connect, list, ada } = await createOptionsWorld(t, async ({ credentials }, fields) => {
    calls.push([credentials, fields])
    return { options: [lighthouses, { value: '2', label: '' }], facts: { pinsMax: 200_000 } }
  })
  const account = await connect()
  const { status, body } = await list(account, 'boardId?boardId=7')
  t.equal(status, 200)
  const { readAt, ...others } = body
  const data = [lighthouses, { value: '2', label: '' }]
  t.strictSame(others, { field: 'boardId', data, facts: { pinsMax: 200_000 } })
  t.ok(Date.now() - Date.parse(readAt) < 60_000)
  t.equal((await list(account, 'boardSectionId?boardId=7')).status, 200)
  const credentials = { accessToken: 'token-of-ada' }
  t.strictSame(calls, [
    [credentials, {}],
    [credentials, { boardId: '7' }],
  ])
  t.strictSame((await ada.call('GET', '/platforms/x')).body.fieldOptions, { boardId: [], boardSectionId: ['boardId'] })
  t.strictSame((await ada.call('GET', '/platforms/bluesky')).body.fieldOptions, {})
})

t.test('values are read once by concurrent callers, and again with other parameters or credentials', async (t) => {
  let calls = 0
  const { connect, list, user, organization, ada, db, keyring } = await createOptionsWorld(t, async () => {
    calls++
    await new Promise(setImmediate)
    return { options: [{ value: String(calls), label: 'a' }] }
  })
  const account = await connect()
  const same = await Promise.all([list(account), list(account), list(account)])
  t.strictSame([calls, new Set(same.map(({ body }) => body.data[0].value))], [1, new Set(['1'])])
  await list(account, 'boardSectionId?boardId=1')
  await list(account, 'boardSectionId?boardId=2')
  await list(account, 'boardSectionId?boardId=2')
  t.equal(calls, 3)
  await list(await connect())
  t.equal(calls, 4, 'another account')

  await replaceCredentials(db, account, keyring.seal(account, { accessToken: 'new' }))
  await list(account)
  t.equal(calls, 5, 'the account was connected again')

  const bob = await user()
  const shared = await ada.account('x', {
    organizationId: await organization(ada, bob),
    credentials: { accessToken: 'shared' },
  })
  const own = await list(shared)
  const others = await bob.call('GET', `/accounts/${shared}/options/boardId`)
  t.strictSame([own.status, own.body], [others.status, others.body])
  t.equal(calls, 6, 'members share what was read')
})

t.test('what a caller may not use is a 404, whatever was read before', async (t) => {
  const { app, db, connect, list, user, ada } = await createOptionsWorld(t, async () => ({ options: [] }))
  const account = await connect()
  t.equal((await list(account)).status, 200)
  const stranger = await user()
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, accountIds: [await connect()] })
  const path = `/accounts/${account}/options/boardId`
  for (const reply of [
    await stranger.call('GET', path),
    await call(app, key, 'GET', path),
    await list('0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
    await list('a'),
  ]) {
    t.match(reply, { status: 404, body: { error: 'Account not found' } })
    t.equal(reply.headers['x-error-code'], 'account_not_found')
  }
})

t.test('a field without values is a 404 that names those with values', async (t) => {
  const { connect, list, ada } = await createOptionsWorld(t, async () => ({ options: [] }))
  const account = await connect()
  for (const field of ['replySettings', 'constructor', '%0A']) {
    const { status, body } = await list(account, field)
    t.equal(status, 404)
    const shown = JSON.stringify(decodeURIComponent(field))
    t.equal(body.error, `x lists no values for ${shown}. It lists values for: boardId, boardSectionId`)
  }
  const bluesky = await ada.account('bluesky', { credentials: { identifier: 'a', password: 'b' } })
  const { body } = await list(bluesky)
  t.equal(body.error, 'bluesky lists no values for any field')
})

t.test('a missing, empty, long, repeated or unknown parameter is a 400, and no network is called', async (t) => {
  const { connect, list } = await createOptionsWorld(t, async () => t.fail('the network is called') as never)
  const account = await connect()
  const missing = { code: 'invalid_type', expected: 'string', received: 'undefined', path: ['boardId'] }
  const { status, body } = await list(account, 'boardSectionId')
  t.strictSame([status, body], [400, { error: 'Invalid request', details: [{ ...missing, message: 'Required' }] }])
  for (const query of ['boardId=', `boardId=${'a'.repeat(201)}`, 'boardId=1&boardId=2', 'boardId=%ff']) {
    t.match(await list(account, `boardSectionId?${query}`), { status: 400, body: { details: [{ path: ['boardId'] }] } })
  }
  t.match(await list(account, 'boardId?board=1'), { status: 400, body: { details: [{ code: 'unrecognized_keys' }] } })
})

t.test('errors of the network keep their meaning, and are not kept', async (t) => {
  let error: Error = new Error('unexpected')
  let calls = 0
  const { connect, list, ada } = await createOptionsWorld(t, async () => {
    calls++
    throw error
  })
  const account = await connect()
  const cases: [options: object, status: number, code: string][] = [
    [{ retryable: false }, 400, 'platform_refused'],
    [{ retryable: false, needsAttention: true }, 409, 'credentials_rejected'],
    [{ retryable: true, code: 'rate_limited' }, 502, 'platform_unavailable'],
    [{ retryable: true, maybeSent: true }, 502, 'platform_unavailable'],
  ]
  for (const [options, status, code] of cases) {
    error = new PublishError('reason\0', { code: 'any', maybeSent: false, retryable: false, ...options })
    const reply = await list(account)
    t.strictSame([reply.status, reply.body], [status, { error: 'x: reason ' }])
    t.equal(reply.headers['x-error-code'], code)
  }
  t.equal(calls, cases.length, 'each request calls the network again')
  error = new Error('unexpected')
  t.match(await list(account), { status: 500, body: { error: 'Internal server error' } })
  const unconnected = await ada.account('x')
  t.match(await list(unconnected), { status: 409, body: { error: 'The account has no credentials: connect it' } })
})

t.test(
  'each network lists values for keys that it has, and the document names them with their parameters',
  async (t) => {
    const rows = [
      ...operations.listFieldOptions.schema.description.matchAll(/^\| `(\w+)` \| `(\w+)` \| .* \| (?:`(\w+)` )?\|$/gm),
    ]
    const documented = rows.map(([, id, field, needs]) => [id, field, needs ? [needs] : []])
    const listed = Object.entries(networks).flatMap(([id, { options = {} }]) =>
      Object.entries(options).map(([field, { needs = [] }]) => [id, field, needs]),
    )
    t.same(new Set(documented), new Set(listed))
    for (const [id, { options = {} }] of Object.entries(networks)) {
      const { fields } = platforms[id as PlatformId]
      for (const [field, { needs = [] }] of Object.entries(options)) {
        t.ok(field in fields, `${id} ${field}`)
        for (const key of needs)
          t.ok(key in fields && key in ListFieldOptionsQuery.properties, `${id} ${field} needs ${key}`)
      }
    }
  },
)
