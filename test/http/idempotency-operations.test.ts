import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import { canonicalJson } from '../../src/base/http/idempotency-key.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import type { Networks } from '../../src/platforms/adapters.ts'
import type { AnyAdapter } from '../../src/platforms/contract/adapter.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { buildApp } from '../../src/run/app.ts'
import { mediaOptions, networkOptions } from '../helpers/app.ts'
import { assertOneResponse, createKeyedWorld, type KeyedReply, sendWithKey } from '../helpers/idempotency.ts'
import { recorded } from '../helpers/log-record.ts'
import { until } from '../helpers/until.ts'
import { form, isClean, jpeg } from '../helpers/upload.ts'

/** The network `sandbox` with another `identify`. */
const stubNetworks = (identify: AnyAdapter['identify']) => ({ sandbox: { identify } as AnyAdapter }) as Networks

t.test(
  'a repeated connection is replayed without calling the network, and the stored key does not reveal credentials',
  async (t) => {
    let calls = 0
    const [old, next] = [randomBytes(32), randomBytes(32)]
    const networks = stubNetworks(async () => {
      calls++
      return { externalId: '1', username: `ada${calls}`, displayName: null }
    })
    const world = await createKeyedWorld(t, { networks, keyring: createKeyring([old]) })
    const { app, db, ada, storedKeys, mediaDir } = world
    const body = { platform: 'sandbox', credentials: { username: 'ada', token: 'secret' } }
    const first = await sendWithKey(app, ada, '/accounts', body)
    assertOneResponse(t, [first, await sendWithKey(app, ada, '/accounts', body)])
    t.equal(calls, 1)
    const other = { ...body, credentials: { ...body.credentials, token: 'guess' } }
    t.equal((await sendWithKey(app, ada, '/accounts', other)).status, 409, 'other credentials are another request')

    const [row] = await storedKeys()
    const plain = createHash('sha256')
      .update(canonicalJson(['connectAccount', body]))
      .digest()
    t.notOk(row!.requestHash.equals(plain), 'a reader of the database cannot verify guessed credentials')

    await ada.call('DELETE', `/accounts/${first.body.id}`)
    const renewed = await buildApp({
      ...networkOptions(db),
      db,
      networks,
      logger: recorded(false),
      corsOrigins: [],
      media: mediaOptions(mediaDir),
      keyring: createKeyring([next, old]),
    })
    t.teardown(() => renewed.close())
    assertOneResponse(t, [first, await sendWithKey(renewed, ada, '/accounts', body)])
    t.equal(calls, 1, 'not even after the account was disconnected and the credentials key was rotated')

    const again = await sendWithKey(app, ada, '/accounts', body, 'other')
    t.equal(again.status, 201)
    const known = await sendWithKey(app, ada, '/accounts', body, 'third')
    assertOneResponse(t, [known, await sendWithKey(app, ada, '/accounts', body, 'third')], 200)
  },
)

t.test('a request that is rejected because of its own first attempt gets the response of that attempt', async (t) => {
  const body = { platform: 'sandbox', credentials: { username: 'ada' } }
  let calls = 0
  let first: KeyedReply | undefined
  const networks = stubNetworks(async () => {
    if (calls++ > 0) return { externalId: '1', username: 'ada', displayName: null }
    first = await sendWithKey(world.app, world.ada, '/accounts', body)
    throw new PublishError('valid once', { code: 'unauthorized', maybeSent: false, retryable: false })
  })
  const world = await createKeyedWorld(t, { networks })
  const second = await sendWithKey(world.app, world.ada, '/accounts', body)
  assertOneResponse(t, [first!, second])
})

t.test('an upload is recognised by file and alt text, whatever its form looks like', async (t) => {
  const { app, ada, db, mediaDir, storedKeys } = await createKeyedWorld(t)
  const [image, other] = [await jpeg(), await jpeg(50)]
  const upload = async (...parts: [name: string, value: Uint8Array | string][]) =>
    sendWithKey(app, ada, '/media', await form(parts))
  t.equal((await upload(['altText', 'a'])).status, 400)
  const first = await upload(['file', image], ['altText', 'a'])
  assertOneResponse(t, [first, await upload(['altText', 'a'], ['file', image])])
  t.equal((await upload(['file', image], ['altText', 'b'])).status, 409)
  t.equal((await upload(['file', other], ['altText', 'a'])).status, 409)
  await until('the files of the others are deleted', () => isClean(db, mediaDir, 1))

  await ada.call('DELETE', `/media/${first.body.id}`)
  assertOneResponse(t, [first, await upload(['file', image], ['altText', 'a'])])
  await until('the file of the replay is deleted', () => isClean(db, mediaDir, 0))
  t.equal((await storedKeys()).length, 1)

  const fresh = await sendWithKey(app, ada, '/media', await form([['file', image]]), 'fresh')
  const known = async () => sendWithKey(app, ada, '/media', await form([['file', image]]), 'known')
  t.equal(fresh.status, 201)
  assertOneResponse(t, [await known(), await known()], 200)
})

t.test('a repeated import fetches the file once', async (t) => {
  let fetched = 0
  const image = await jpeg()
  const fetchFile = async () => {
    fetched++
    return Readable.from([image])
  }
  const { app, ada } = await createKeyedWorld(t, { media: { fetchFile } })
  const url = 'https://www.example.com/lighthouse.jpg'
  const add = (body: object = {}) => sendWithKey(app, ada, '/media/import', { url, ...body })
  assertOneResponse(t, [await add(), await add(), await add()])
  t.equal((await add({ altText: 'a' })).status, 409)
  t.equal(fetched, 1)
})

t.test('keys of objects are hashed in the order of earlier versions: array indices first', async (t) => {
  const inOrder = { '998': 'a', '1001': { b: 1, '2': [null], '01': '', a: 2 }, '4294967295': 'c', Z: 1, a: undefined }
  t.equal(canonicalJson(inOrder), '{"998":"a","1001":{"2":[null],"01":"","a":2,"b":1},"4294967295":"c","Z":1}')
})
