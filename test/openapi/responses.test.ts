import { Readable } from 'node:stream'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect } from '../../db/client.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { ACCOUNT_EXAMPLES } from '../../schemas/account.ts'
import { CONNECT_EXAMPLES } from '../../schemas/connect.ts'
import { SandboxCallList } from '../../schemas/sandbox.ts'
import { buildApp } from '../../src/app.ts'
import { createKey } from '../../src/auth/create-key.ts'
import { PublishError } from '../../src/platforms/publish-error.ts'
import { markPostPublished } from '../../src/posts/mark-published.ts'
import { StorageError } from '../../src/storage/storage.ts'
import { call, mediaOptions, networkOptions, type Person, type Reply } from '../helpers/app.ts'
import { connectByOAuth, redirectBack } from '../helpers/connect-oauth.ts'
import { json } from '../helpers/document.ts'
import { recorded } from '../helpers/log-record.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { form as encode, jpeg, upload } from '../helpers/upload.ts'
import {
  CALLBACK,
  check,
  createScene,
  operations,
  type Requests,
  requestsOf,
  type Scene,
  seen,
  UNKNOWN_ID,
} from './scene.ts'

const YESTERDAY = new Date(Date.now() - 86_400_000)

async function checkAccounts(t: Test, { app, db, ada, user, organization }: Scene, requests: Requests) {
  await check(t, 'listAccounts', 200, undefined, requests.listAccounts(ada.key))
  await check(t, 'connectAccount', 201, undefined, requests.connectAccount(ada.key))
  await check(t, 'connectAccount', 200, undefined, requests.connectAccount(ada.key))

  const add = (body: object) => ada.call('POST', '/accounts', body)
  const { bluesky, mastodon } = CONNECT_EXAMPLES
  const withoutPassword = { ...bluesky, credentials: { identifier: 'ada.example.com' } }
  await check(t, 'connectAccount', 400, 'missingPassword', add(withoutPassword))
  await check(t, 'connectAccount', 400, 'unknownPlatform', add({ ...bluesky, platform: 'instagram' }))
  await check(t, 'connectAccount', 400, 'refused', add(bluesky!))
  await check(t, 'connectAccount', 403, 'noAccess', add({ ...bluesky, organizationId: UNKNOWN_ID }))
  const unreachable = { ...mastodon, credentials: { instance: 'https://mastodon.invalid', accessToken: 'a' } }
  await check(t, 'connectAccount', 502, 'unreachable', add(unreachable))
  await check(t, 'connectAccount', 413, 'tooLarge', add({ ...bluesky, organizationId: 'a'.repeat(2 ** 20) }))
  const common = { db, logger: recorded(false), corsOrigins: [], media: mediaOptions('.') }
  const withoutKeyring = await buildApp({ ...common, ...networkOptions(db), keyring: undefined })
  t.teardown(() => withoutKeyring.close())
  await check(t, 'connectAccount', 503, 'noCredentialsKey', requests.connectAccount(ada.key, withoutKeyring))
  const withOtherKeyring = await buildApp({ ...common, ...networkOptions(db) })
  t.teardown(() => withOtherKeyring.close())
  await check(t, 'connectAccount', 503, 'otherCredentialsKey', requests.connectAccount(ada.key, withOtherKeyring))

  await check(t, 'disconnectAccount', 404, 'notFound', call(app, ada.key, 'DELETE', `/accounts/${UNKNOWN_ID}`))
  const bob = await user()
  const shared = await bob.account('x', { organizationId: await organization(ada, bob) })
  await check(t, 'disconnectAccount', 403, 'notTheOwner', ada.call('DELETE', `/accounts/${shared}`))
}

async function checkConnections(t: Test, scene: Scene, requests: Requests) {
  const { db, ada, user, organization, oauth, connecting, connectionId } = scene
  const create = (body: object) => ada.call('POST', '/connections', { platform: 'x', ...body })
  await check(t, 'createConnection', 201, undefined, requests.createConnection(ada.key))
  await check(t, 'createConnection', 400, 'otherPlatform', create({ accountId: ACCOUNT_EXAMPLES[0].id }))
  await check(t, 'createConnection', 400, 'notSupported', create({ platform: 'telegram' }))
  await check(t, 'createConnection', 400, 'returnUrl', create({ returnUrl: 'https://app.example.net' }))
  await check(t, 'createConnection', 403, 'noOrganization', create({ organizationId: UNKNOWN_ID }))
  await check(t, 'createConnection', 403, 'noAccount', create({ accountId: UNKNOWN_ID }))
  const bob = await user()
  const shared = await bob.account('x', { organizationId: await organization(ada, bob) })
  await check(t, 'createConnection', 403, 'notTheOwner', create({ accountId: shared }))
  const options = { code: 'unreachable', maybeSent: false, retryable: true }
  oauth.beginError = new PublishError('api.x.com could not be reached (ENOTFOUND)', options)
  await check(t, 'createConnection', 502, 'unreachable', create({ manual: true }))
  oauth.beginError = undefined
  await check(t, 'createConnection', 400, 'noServer', create({ platform: 'mastodon' }))
  await check(t, 'createConnection', 400, 'refused', create({ platform: 'mastodon', hint: 'www.example.com' }))

  await check(t, 'getConnection', 200, undefined, requests.getConnection(ada.key))
  await check(t, 'completeConnection', 409, 'notOpened', requests.completeConnection(ada.key))
  await check(t, 'chooseAccounts', 409, 'notChoosing', requests.chooseAccounts(ada.key))
  await checkFlow(t, scene)
  for (const [operationId, method, path] of [
    ['getConnection', 'GET', ''],
    ['chooseAccounts', 'POST', '/choose'],
    ['completeConnection', 'POST', '/complete'],
    ['deleteConnection', 'DELETE', ''],
  ] as const) {
    const body = { '': undefined, '/choose': { ids: ['1'] }, '/complete': { callbackUrl: CALLBACK } }[path]
    const reply = ada.call(method, `/connections/${UNKNOWN_ID}${path}`, body)
    await check(t, operationId, 404, 'notFound', reply)
  }
  const large = 'a'.repeat(2 ** 20)
  await check(t, 'createConnection', 413, 'tooLarge', create({ hint: large }))
  for (const [operationId, path, body] of [
    ['chooseAccounts', 'choose', { ids: [large] }],
    ['completeConnection', 'complete', { callbackUrl: large }],
  ] as const) {
    await check(t, operationId, 413, 'tooLarge', ada.call('POST', `/connections/${connectionId}/${path}`, body))
  }

  const common = () => ({
    db,
    logger: recorded(false),
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(db),
  })
  const withoutApp = await buildApp({ ...common(), networks: connecting.networks, keyring: scene.keyring })
  const withoutKeyring = await buildApp({ ...common(), ...connecting, keyring: undefined })
  const withOtherKeyring = await buildApp({ ...common(), ...connecting })
  t.teardown(() => Promise.all([withoutApp.close(), withoutKeyring.close(), withOtherKeyring.close()]))
  await check(t, 'createConnection', 400, 'noApp', requests.createConnection(ada.key, withoutApp))
  for (const [example, app] of Object.entries({
    noCredentialsKey: withoutKeyring,
    otherCredentialsKey: withOtherKeyring,
  })) {
    await check(t, 'createConnection', 503, example, requests.createConnection(ada.key, app))
    const { body } = await create({ manual: true })
    const callback = { callbackUrl: String(await redirectBack()(new URL(body.url))) }
    const path = `/connections/${body.id}`
    await check(t, 'completeConnection', 503, example, call(app, ada.key, 'POST', `${path}/complete`, callback))
    oauth.accounts = [grantedAccount('1'), grantedAccount('2')]
    await ada.call('POST', `${path}/complete`, callback)
    await check(t, 'chooseAccounts', 503, example, call(app, ada.key, 'POST', `${path}/choose`, { ids: ['1'] }))
  }
}

async function checkApps(t: Test, { app, db, ada, user, organization, connecting, oauth }: Scene, requests: Requests) {
  const put = (body: object, path = '/apps/x') => ada.call('PUT', path, { clientId: 'a', ...body })
  await check(t, 'putApp', 400, 'missingClientId', ada.call('PUT', '/apps/x', {}))
  await check(t, 'putApp', 400, 'notSupported', put({}, '/apps/telegram'))
  await check(t, 'putApp', 400, 'registered', put({}, '/apps/mastodon'))
  await check(t, 'putApp', 413, 'tooLarge', put({ clientSecret: 'a'.repeat(2 ** 20) }))
  const shared = await organization(ada, await user())
  for (const [example, organizationId] of [
    ['noAccess', UNKNOWN_ID],
    ['notAdmin', shared],
  ] as const) {
    await check(t, 'putApp', 403, example, put({ organizationId }))
    const reply = ada.call('DELETE', `/apps/x?organizationId=${organizationId}`)
    await check(t, 'deleteApp', 403, example, reply)
  }
  const repeated = `organizationId=${shared}&organizationId=${shared}`
  await check(t, 'deleteApp', 400, 'repeated', ada.call('DELETE', `/apps/x?${repeated}`))
  await check(t, 'deleteApp', 404, 'notFound', requests.deleteApp(ada.key))
  await check(t, 'putApp', 200, undefined, requests.putApp(ada.key))
  await check(t, 'listApps', 200, undefined, requests.listApps(ada.key))
  oauth.accounts = [grantedAccount('9')]
  const { accounts } = await connectByOAuth(app, ada, { platform: 'x' }, redirectBack())
  await check(t, 'deleteApp', 409, 'inUse', requests.deleteApp(ada.key))
  await ada.call('DELETE', `/accounts/${accounts[0].id}`)
  await check(t, 'deleteApp', 200, 'deleted', requests.deleteApp(ada.key))

  const common = () => ({
    db,
    logger: recorded(false),
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(db),
  })
  const withoutKeyring = await buildApp({ ...common(), ...connecting, keyring: undefined })
  const withOtherKeyring = await buildApp({ ...common(), ...connecting })
  t.teardown(() => Promise.all([withoutKeyring.close(), withOtherKeyring.close()]))
  await check(t, 'putApp', 503, 'noCredentialsKey', requests.putApp(ada.key, withoutKeyring))
  await check(t, 'putApp', 503, 'otherCredentialsKey', requests.putApp(ada.key, withOtherKeyring))
}

/** A flow whose user has to choose. */
async function checkFlow(t: Test, { app, ada, user, organization, oauth }: Scene) {
  const bob = await user()
  const organizationId = await organization(ada, bob)
  oauth.accounts = [grantedAccount('2')]
  await connectByOAuth(app, bob, { platform: 'x', organizationId }, redirectBack())
  oauth.accounts = [grantedAccount('1'), grantedAccount('2')]
  const { body } = await ada.call('POST', '/connections', { platform: 'x', manual: true })
  const path = `/connections/${body.id}`
  await check(
    t,
    'completeConnection',
    400,
    'otherConnection',
    ada.call('POST', `${path}/complete`, { callbackUrl: CALLBACK }),
  )
  await check(t, 'completeConnection', 400, 'missingUrl', ada.call('POST', `${path}/complete`, {}))
  const callbackUrl = String(await redirectBack()(new URL(body.url)))
  await check(t, 'completeConnection', 200, undefined, ada.call('POST', `${path}/complete`, { callbackUrl }))
  const choose = (ids: string[]) => ada.call('POST', `${path}/choose`, { ids })
  await check(t, 'chooseAccounts', 400, 'unknownChoice', choose(['3']))
  await check(t, 'chooseAccounts', 409, 'ownedElsewhere', choose(['2']))
  await check(t, 'chooseAccounts', 200, undefined, choose(['1']))
}

async function checkPosts(t: Test, { db, ada, account }: Scene, requests: Requests) {
  const create = (body: object) => ada.call('POST', '/posts', body)
  const scheduled = { accountIds: [account], caption: 'hi', scheduledAt: '2030-01-01T00:00:00Z' }
  await check(t, 'createPost', 201, undefined, requests.createPost(ada.key))
  await check(t, 'createPost', 201, undefined, create(scheduled))
  await check(t, 'listPosts', 200, undefined, requests.listPosts(ada.key))

  const withoutZone = { accountIds: [account], scheduledAt: '2027-01-15T09:30:00' }
  const misspelt = { accountIds: [account], scheduleAt: '2027-01-15T09:30:00Z' }
  await check(t, 'createPost', 400, 'missingAccountIds', create({}))
  await check(t, 'createPost', 400, 'timeWithoutZone', create(withoutZone))
  await check(t, 'createPost', 400, 'unknownKey', create(misspelt))
  await check(t, 'createPost', 400, 'limitOfNetwork', create({ accountIds: [account], caption: 'a'.repeat(312) }))
  await check(t, 'createPost', 403, 'noAccess', create({ accountIds: [account, UNKNOWN_ID] }))
  await check(t, 'createPost', 413, 'tooLarge', create({ accountIds: [account], caption: 'a'.repeat(1024 * 1024) }))
  await checkPaging(t, ada, 'listPosts', '/posts')

  await check(t, 'deletePost', 404, 'notFound', ada.call('DELETE', `/posts/${UNKNOWN_ID}`))
  const { body: published } = await create({ accountIds: [account] })
  await markPostPublished(db, published.id)
  await check(t, 'deletePost', 400, 'published', ada.call('DELETE', `/posts/${published.id}`))
  await check(t, 'getPost', 404, 'notFound', ada.call('GET', `/posts/${UNKNOWN_ID}`))
  await check(t, 'publishPost', 404, 'notFound', ada.call('POST', `/posts/${UNKNOWN_ID}/publish`))
  await check(t, 'publishPost', 409, 'published', ada.call('POST', `/posts/${published.id}/publish`))

  const instagram = await ada.account('instagram', { username: 'ada' })
  const { body: incomplete } = await create({ accountIds: [instagram] })
  await check(t, 'publishPost', 400, 'incomplete', ada.call('POST', `/posts/${incomplete.id}/publish`))
  const [{ id: disconnected }] = ACCOUNT_EXAMPLES
  const { body: orphan } = await create({ accountIds: [disconnected], caption: 'hi' })
  const accounts = db.updateTable('accounts').where('id', '=', disconnected)
  await accounts.set({ disconnectedAt: new Date() }).execute()
  await check(t, 'publishPost', 403, 'noAccess', ada.call('POST', `/posts/${orphan.id}/publish`))
  await accounts.set({ disconnectedAt: null }).execute()
}

async function checkDeliveries(t: Test, { db, ada }: Scene, requests: Requests) {
  // On a network that cannot be queried.
  const account = await ada.account('telegram')
  const scheduled = { accountIds: [account], caption: 'hi', scheduledAt: '2030-01-01T00:00:00Z' }
  const { body: post } = await ada.call('POST', '/posts', scheduled)
  const path = `/posts/${post.id}/deliveries/${account}`
  const targets = db.updateTable('postTargets').where('postId', '=', post.id)
  const retry = (path: string) => ada.call('POST', `${path}/retry`)
  const resolve = (path: string, body: object = { outcome: 'published' }) => ada.call('POST', `${path}/resolve`, body)

  await check(t, 'retryDelivery', 409, 'notDue', retry(path))
  await check(t, 'publishPost', 202, undefined, ada.call('POST', `/posts/${post.id}/publish`))
  await check(t, 'retryDelivery', 202, undefined, retry(path))
  await check(t, 'retryDelivery', 409, 'draft', requests.retryDelivery(ada.key))
  for (const state of ['publishing', 'published', 'unconfirmed']) {
    await targets.set({ state }).execute()
    await check(t, 'getPost', 200, undefined, ada.call('GET', `/posts/${post.id}`))
    await check(t, 'retryDelivery', 409, state, retry(path))
    if (state === 'publishing') await check(t, 'deletePost', 409, 'busy', ada.call('DELETE', `/posts/${post.id}`))
  }
  const error = JSON.stringify({ code: 'media_deleted', message: 'A file of the post was deleted', retryable: false })
  await targets.set({ state: 'failed', error }).execute()
  await check(t, 'retryDelivery', 409, 'mediaDeleted', retry(path))

  await targets.set({ state: 'unconfirmed', error: null }).execute()
  for (const [operationId, send] of Object.entries({ retryDelivery: retry, resolveDelivery: resolve })) {
    await check(t, operationId, 404, 'postNotFound', send(`/posts/${UNKNOWN_ID}/deliveries/${account}`))
    await check(t, operationId, 404, 'deliveryNotFound', send(`/posts/${post.id}/deliveries/${UNKNOWN_ID}`))
  }
  await check(t, 'resolveDelivery', 400, 'missingOutcome', resolve(path, {}))
  const long = { outcome: 'published', url: 'a'.repeat(2 ** 20) }
  await check(t, 'resolveDelivery', 413, 'tooLarge', resolve(path, long))
  await check(t, 'resolveDelivery', 200, undefined, resolve(path))
  await check(t, 'resolveDelivery', 409, 'notUnconfirmed', requests.resolveDelivery(ada.key))
}

async function checkMedia(t: Test, { app, ada, image, account, fileId }: Scene, requests: Requests) {
  await check(t, 'uploadMedia', 201, undefined, requests.uploadMedia(ada.key))
  await check(t, 'uploadMedia', 200, undefined, requests.uploadMedia(ada.key))
  await check(t, 'listMedia', 200, undefined, requests.listMedia(ada.key))
  await check(t, 'getMedia', 200, undefined, requests.getMedia(ada.key))
  await check(t, 'updateMedia', 200, undefined, requests.updateMedia(ada.key))

  const send = (bytes: Buffer) => upload(app, ada, [['file', bytes]])
  await check(t, 'uploadMedia', 400, 'missingFile', upload(app, ada, [['altText', 'a']]))
  await check(t, 'uploadMedia', 400, 'unknownType', send(Buffer.from('<html>')))
  await check(t, 'uploadMedia', 400, 'behindItsEnd', send(Buffer.concat([image, Buffer.from('0123456789')])))
  await check(t, 'importMedia', 400, 'invalidUrl', ada.call('POST', '/media/import', { url: 'lighthouse.jpg' }))
  await check(t, 'importMedia', 400, 'notPublic', requests.importMedia(ada.key))
  const large = JSON.stringify({ url: 'a'.repeat(2 ** 20) })
  await check(t, 'importMedia', 413, 'tooLarge', ada.call('POST', '/media/import', large))
  await checkPaging(t, ada, 'listMedia', '/media')
  await check(t, 'updateMedia', 400, 'missingAltText', ada.call('PATCH', `/media/${fileId}`, {}))
  await check(t, 'updateMedia', 413, 'tooLarge', ada.call('PATCH', `/media/${fileId}`, large))

  const unknown = `/media/${UNKNOWN_ID}`
  await check(t, 'getMedia', 404, 'notFound', ada.call('GET', unknown))
  await check(t, 'getMediaContent', 404, 'notFound', ada.call('GET', `${unknown}/content`))
  await check(t, 'getMediaContent', 404, 'noContent', ada.call('GET', `/media/${await ada.media()}/content`))
  await check(t, 'updateMedia', 404, 'notFound', ada.call('PATCH', unknown, { altText: null }))
  await check(t, 'deleteMedia', 404, 'notFound', ada.call('DELETE', unknown))
  const content = async (headers: Record<string, string>): Promise<Reply> => {
    const url = `/api/v1/media/${fileId}/content`
    const reply = await app.inject({ url, headers: { authorization: `Bearer ${ada.key}`, ...headers } })
    return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
  }
  await check(t, 'getMediaContent', 412, 'notThatFile', content({ 'if-match': '"other"' }))
  await check(t, 'getMediaContent', 416, 'noSuchRange', content({ range: 'bytes=9000000-' }))
  await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [fileId] })
  await check(t, 'deleteMedia', 409, 'inUse', requests.deleteMedia(ada.key))
}

async function checkSandbox(t: Test, { db, ada, account }: Scene, requests: Requests) {
  for (const call of SandboxCallList.examples[0].data) {
    await sandboxStore(db).keep({ ...call, accountId: account, token: UNKNOWN_ID, number: 1 })
  }
  const { body } = await requests.listSandboxCalls(ada.key)
  t.equal(body.data.length, 2)
  await check(t, 'listSandboxCalls', 200, undefined, requests.listSandboxCalls(ada.key))
  await checkPaging(t, ada, 'listSandboxCalls', '/sandbox/calls')
}

async function checkPaging(t: Test, user: Person, operationId: string, path: string) {
  await check(t, operationId, 400, 'limitTooBig', user.call('GET', `${path}?limit=101`))
  await check(t, operationId, 400, 'cursorAndOffset', user.call('GET', `${path}?offset=1&cursor=${UNKNOWN_ID}`))
}

async function checkReusedKeys(t: Test, { app, ada, image, account }: Scene) {
  const send = async (path: string, payload: object | Buffer, type = 'application/json'): Promise<Reply> => {
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': type, 'idempotency-key': 'a' }
    const reply = await app.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload })
    return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
  }
  await check(t, 'createPost', 201, undefined, send('/posts', { accountIds: [account] }))
  await check(t, 'createPost', 409, 'keyTaken', send('/posts', { accountIds: [account], caption: 'hi' }))
  await check(t, 'createConnection', 409, 'keyTaken', send('/connections', { platform: 'x' }))
  await check(t, 'connectAccount', 409, 'keyTaken', send('/accounts', CONNECT_EXAMPLES.telegram!))
  await check(t, 'importMedia', 409, 'keyTaken', send('/media/import', { url: 'https://www.example.com/a.jpg' }))
  const form = await encode([['file', image]])
  await check(t, 'uploadMedia', 409, 'keyTaken', send('/media', form.body, form.type))
}

/** A service whose statements fail as those of a database without space. */
async function checkFullDatabase(t: Test, { db, ada, connecting }: Scene, requests: Requests) {
  const refuse = () => Promise.reject(Object.assign(new Error('No space left on device'), { code: '53100' }))
  const full = new Proxy(db, {
    get: (target, key) => (key === 'executeQuery' ? refuse : Reflect.get(target, key, target)),
  })
  const app = await buildApp({
    db: full,
    logger: recorded(false),
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(full),
    ...connecting,
  })
  t.teardown(() => app.close())
  for (const [operationId, send] of Object.entries(requests)) {
    await check(t, operationId, 503, 'databaseFull', send(ada.key, app))
  }
}

/** Services whose storage is away or full. */
async function checkStorage(t: Test, { db, ada, mediaDir }: Scene, requests: Requests) {
  for (const [example, isFull] of [
    ['noStorage', false],
    ['storageFull', true],
  ] as const) {
    const refuse = () => Promise.reject(new StorageError('for this test', { isFull }))
    const storage = { put: refuse, remove: refuse, size: refuse, read: refuse, serve: refuse, check: refuse }
    const media = { ...mediaOptions(mediaDir), storage, fetchFile: async () => Readable.from([await jpeg(70)]) }
    const app = await buildApp({ db, logger: recorded(false), corsOrigins: [], media, ...networkOptions(db) })
    t.teardown(() => app.close())
    await check(t, 'uploadMedia', 503, example, upload(app, ada, [['file', await jpeg(70)]]))
    await check(t, 'importMedia', 503, example, requests.importMedia(ada.key, app))
    if (!isFull) await check(t, 'getMediaContent', 503, example, requests.getMediaContent(ada.key, app))
  }
}

/** Last, because it takes tables away. */
async function checkCommonErrors(t: Test, scene: Scene, requests: Requests) {
  const { db, ada } = scene
  const create = (expiresAt: Date | null) => createKey(db, { userId: ada.id, name: null, expiresAt })
  const [{ key: expired }, { key: uncached }] = [await create(YESTERDAY), await create(null)]
  const unreachable = connect({ url: 'postgresql://127.0.0.1:1/nowhere' })
  const common = { logger: recorded(false), corsOrigins: [], media: mediaOptions('.') } as const
  const withoutDatabase = await buildApp({
    db: unreachable,
    ...common,
    corsOrigins: [],
    ...networkOptions(unreachable),
  })
  const unmigrated = await buildApp({ db, ...common, corsOrigins: [], ...networkOptions(db) })
  t.teardown(async () => {
    await withoutDatabase.close()
    await unmigrated.close()
    await unreachable.destroy()
  })
  await db.updateTable('schemaMigrations').set({ appliedAt: null }).execute()
  for (const [operationId, send] of Object.entries(requests)) {
    await check(t, operationId, 503, 'schemaOutdated', send(ada.key, unmigrated))
    await check(t, operationId, 401, 'missingKey', send())
    await check(t, operationId, 401, 'invalidKey', send('pr_unknown'))
    await check(t, operationId, 401, 'expiredKey', send(expired))
    await check(t, operationId, 503, 'noDatabase', send(ada.key, withoutDatabase))
  }
  await checkFullDatabase(t, scene, requests)
  await check(t, 'deletePost', 200, 'deleted', requests.deletePost(ada.key))
  await check(t, 'disconnectAccount', 200, 'disconnected', requests.disconnectAccount(ada.key))
  await check(t, 'deleteConnection', 200, 'deleted', requests.deleteConnection(ada.key))

  for (const table of ['posts', 'accounts', 'media', 'loose_files', 'post_targets', 'connections', 'oauth_apps']) {
    await sql`alter table ${sql.table(table)} rename to ${sql.table(`${table}_away`)}`.execute(db)
  }
  for (const [operationId, send] of Object.entries(requests)) await check(t, operationId, 500, 'failed', send(ada.key))
  await sql`alter table api_keys rename to api_keys_away`.execute(db)
  for (const [operationId, send] of Object.entries(requests)) {
    await check(t, operationId, 503, 'noKeyStore', send(uncached))
  }
}

t.test('each response matches its schema, and each error matches its example to the byte', async (t) => {
  const scene = await createScene(t)
  const requests = requestsOf(scene)
  await checkAccounts(t, scene, requests)
  await checkConnections(t, scene, requests)
  await checkApps(t, scene, requests)
  await checkPosts(t, scene, requests)
  await checkDeliveries(t, scene, requests)
  await checkMedia(t, scene, requests)
  await checkSandbox(t, scene, requests)
  await checkReusedKeys(t, scene)
  await checkStorage(t, scene, requests)
  await checkCommonErrors(t, scene, requests)

  // The tests of the upload check these on a socket.
  for (const operationId of ['uploadMedia', 'importMedia']) seen.add(`${operationId} 413 tooLargeFile`)
  seen.add('uploadMedia 408 tooSlow')
  const errors = [...operations.values()].flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, response]) =>
        Object.keys(json(response)?.examples ?? {}).map((name) => `${operationId} ${status} ${name}`),
      ),
  )
  t.strictSame(
    new Set(errors),
    new Set([...seen].filter((title) => !title.includes(' 200 '))),
    'every error was checked',
  )
})
