import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { markPostPublished } from '../../db/queries/posts.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { ACCOUNT_EXAMPLES, LISTED_ACCOUNTS } from '../../schemas/account.ts'
import { CONNECT_EXAMPLES } from '../../schemas/connect.ts'
import { MEDIA_ID } from '../../schemas/media.ts'
import { SandboxCallList } from '../../schemas/sandbox.ts'
import { buildApp } from '../../src/app.ts'
import { createKey } from '../../src/auth/create-key.ts'
import { call, createWorld, mediaOptions, networkOptions, type Reply } from '../helpers/app.ts'
import { json, operationsOf, readDocument, validatorOf } from '../helpers/document.ts'
import { stubNetworks } from '../helpers/stub-networks.ts'
import { form as encode, jpeg, upload } from '../helpers/upload.ts'

const document = readDocument()
const problemWith = validatorOf(document)
const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]))

const YESTERDAY = new Date(Date.now() - 86_400_000)
const NOBODYS_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

t.test('what the service answers is what the document says, each error word by word', async (t) => {
  const image = await jpeg()
  const { app, db, user, organization } = await createWorld(t, { fetch: stubNetworks })
  const ada = await user()
  const { body: file } = await upload(app, ada, [['file', image]])
  const x = await ada.account('x', { username: 'ada' })
  const { key: expired } = await createKey(db, { userId: ada.id, name: null, expiresAt: YESTERDAY })
  const { key: uncached } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  const [, id] = await Promise.all([
    insertAccount(db, { ...ACCOUNT_EXAMPLES[0], userId: ada.id, organizationId: null }),
    ada.call('POST', '/posts', { accountIds: [x] }).then(({ body }) => body.id as string),
  ])

  const plain = {
    createPost: (key?: string, instance = app) => call(instance, key, 'POST', '/posts', { accountIds: [x] }),
    listPosts: (key?: string, instance = app) => call(instance, key, 'GET', '/posts'),
    deletePost: (key?: string, instance = app) => call(instance, key, 'DELETE', `/posts/${id}`),
    getPost: (key?: string, instance = app) => call(instance, key, 'GET', `/posts/${id}`),
    publishPost: (key?: string, instance = app) => call(instance, key, 'POST', `/posts/${id}/publish`),
    retryDelivery: (key?: string, instance = app) => call(instance, key, 'POST', `/posts/${id}/deliveries/${x}/retry`),
    resolveDelivery: (key?: string, instance = app) =>
      call(instance, key, 'POST', `/posts/${id}/deliveries/${x}/resolve`, { outcome: 'not_published' }),
    listAccounts: (key?: string, instance = app) => call(instance, key, 'GET', '/accounts'),
    connectAccount: (key?: string, instance = app) =>
      call(instance, key, 'POST', '/accounts', CONNECT_EXAMPLES.telegram),
    disconnectAccount: (key?: string, instance = app) =>
      call(instance, key, 'DELETE', `/accounts/${ACCOUNT_EXAMPLES[0].id}`),
    uploadMedia: async (key?: string, instance = app) => upload(instance, { key }, [['file', await jpeg(50)]]),
    importMedia: (key?: string, instance = app) =>
      call(instance, key, 'POST', '/media/import', { url: 'http://127.0.0.1/a' }),
    listMedia: (key?: string, instance = app) => call(instance, key, 'GET', '/media'),
    getMedia: (key?: string, instance = app) => call(instance, key, 'GET', `/media/${file.id}`),
    getMediaContent: (key?: string, instance = app) => call(instance, key, 'GET', `/media/${file.id}/content`),
    updateMedia: (key?: string, instance = app) =>
      call(instance, key, 'PATCH', `/media/${file.id}`, { altText: 'A lighthouse at dusk.' }),
    deleteMedia: (key?: string, instance = app) => call(instance, key, 'DELETE', `/media/${file.id}`),
    listSandboxCalls: (key?: string, instance = app) => call(instance, key, 'GET', '/sandbox/calls'),
  }
  const create = (body: object) => ada.call('POST', '/posts', body)

  const seen = new Set<string>()
  /** Compares an answer with an example of the document, or only with its schema. */
  const check = async (operationId: string, status: number, example: string | undefined, reply: Promise<Reply>) => {
    const { status: actual, body } = await reply
    const title = [operationId, status, example].filter(Boolean).join(' ')
    t.equal(actual, status, title)
    const { schema, examples } = json(operations.get(operationId)!.responses[status]!)
    t.equal(problemWith(schema, body), '', title)
    if (example) {
      t.strictSame(body, examples[example]?.value, title)
      seen.add(title)
    }
  }

  await check('createPost', 201, undefined, plain.createPost(ada.key))
  await check(
    'createPost',
    201,
    undefined,
    create({ accountIds: [x], caption: 'hi', scheduledAt: '2030-01-01T00:00:00Z' }),
  )
  await check('listPosts', 200, undefined, plain.listPosts(ada.key))
  await check('listAccounts', 200, undefined, plain.listAccounts(ada.key))

  await check('connectAccount', 201, undefined, plain.connectAccount(ada.key))
  await check('connectAccount', 200, undefined, plain.connectAccount(ada.key))
  const add = (body: object) => ada.call('POST', '/accounts', body)
  const { bluesky, mastodon } = CONNECT_EXAMPLES
  const withoutPassword = { ...bluesky, credentials: { identifier: 'ada.example.com' } }
  await check('connectAccount', 400, 'missingPassword', add(withoutPassword))
  await check('connectAccount', 400, 'unknownPlatform', add({ ...bluesky, platform: 'instagram' }))
  await check('connectAccount', 400, 'refused', add(bluesky!))
  await check('connectAccount', 403, 'noAccess', add({ ...bluesky, organizationId: NOBODYS_ID }))
  const nowhereToBeFound = { ...mastodon, credentials: { instance: 'https://mastodon.invalid', accessToken: 'a' } }
  await check('connectAccount', 502, 'unreachable', add(nowhereToBeFound))
  const unlocked = await buildApp({
    db,
    logger: false,
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(db),
    keyring: undefined,
  })
  t.teardown(() => unlocked.close())
  await check('connectAccount', 503, 'noCredentialsKey', plain.connectAccount(ada.key, unlocked))
  await check('connectAccount', 413, 'tooLarge', add({ ...bluesky, organizationId: 'a'.repeat(2 ** 20) }))
  await check('disconnectAccount', 404, 'notFound', ada.call('DELETE', `/accounts/${NOBODYS_ID}`))
  const bob = await user()
  const shared = await bob.account('x', { organizationId: await organization(ada, bob) })
  await check('disconnectAccount', 403, 'notTheOwner', ada.call('DELETE', `/accounts/${shared}`))

  await check('uploadMedia', 201, undefined, plain.uploadMedia(ada.key))
  await check('uploadMedia', 200, undefined, plain.uploadMedia(ada.key))
  await check('listMedia', 200, undefined, plain.listMedia(ada.key))
  await check('getMedia', 200, undefined, plain.getMedia(ada.key))
  await check('updateMedia', 200, undefined, plain.updateMedia(ada.key))
  for (const call of SandboxCallList.examples[0].data) {
    await sandboxStore(db).keep({ ...call, accountId: x, token: NOBODYS_ID, number: 1 })
  }
  const { body: received } = await plain.listSandboxCalls(ada.key)
  t.equal(received.data.length, 2)
  await check('listSandboxCalls', 200, undefined, plain.listSandboxCalls(ada.key))

  await check('createPost', 400, 'missingAccountIds', create({}))
  await check('createPost', 400, 'timeWithoutZone', create({ accountIds: [x], scheduledAt: '2027-01-15T09:30:00' }))
  await check('createPost', 400, 'unknownKey', create({ accountIds: [x], scheduleAt: '2027-01-15T09:30:00Z' }))
  await check('createPost', 400, 'limitOfNetwork', create({ accountIds: [x], caption: 'a'.repeat(312) }))
  await check('createPost', 403, 'noAccess', create({ accountIds: [x, NOBODYS_ID] }))
  await check('createPost', 413, 'tooLarge', create({ accountIds: [x], caption: 'a'.repeat(1024 * 1024) }))
  await check('listPosts', 400, 'limitTooBig', ada.call('GET', '/posts?limit=101'))
  await check('listPosts', 400, 'cursorAndOffset', ada.call('GET', `/posts?offset=1&cursor=${NOBODYS_ID}`))
  await check('deletePost', 404, 'notFound', ada.call('DELETE', `/posts/${NOBODYS_ID}`))
  const { body: out } = await create({ accountIds: [x] })
  await markPostPublished(db, out.id)
  await check('deletePost', 400, 'published', ada.call('DELETE', `/posts/${out.id}`))

  await check('getPost', 404, 'notFound', ada.call('GET', `/posts/${NOBODYS_ID}`))
  await check('publishPost', 404, 'notFound', ada.call('POST', `/posts/${NOBODYS_ID}/publish`))
  await check('publishPost', 409, 'published', ada.call('POST', `/posts/${out.id}/publish`))
  const instagram = await ada.account('instagram', { username: 'ada' })
  const { body: bare } = await create({ accountIds: [instagram] })
  await check('publishPost', 400, 'incomplete', ada.call('POST', `/posts/${bare.id}/publish`))
  const [{ id: disconnected }] = ACCOUNT_EXAMPLES
  const { body: orphan } = await create({ accountIds: [disconnected], caption: 'hi' })
  const accounts = db.updateTable('accounts').where('id', '=', disconnected)
  await accounts.set({ disconnectedAt: new Date() }).execute()
  await check('publishPost', 403, 'noAccess', ada.call('POST', `/posts/${orphan.id}/publish`))
  await accounts.set({ disconnectedAt: null }).execute()

  const { body: sent } = await create({ accountIds: [x], caption: 'hi', scheduledAt: '2030-01-01T00:00:00Z' })
  const path = `/posts/${sent.id}/deliveries/${x}`
  const targets = db.updateTable('postTargets').where('postId', '=', sent.id)
  await check('retryDelivery', 409, 'notDue', ada.call('POST', `${path}/retry`))
  await check('publishPost', 202, undefined, ada.call('POST', `/posts/${sent.id}/publish`))
  await check('retryDelivery', 202, undefined, ada.call('POST', `${path}/retry`))
  await check('retryDelivery', 409, 'draft', plain.retryDelivery(ada.key))
  for (const state of ['publishing', 'published', 'unconfirmed']) {
    await targets.set({ state }).execute()
    await check('getPost', 200, undefined, ada.call('GET', `/posts/${sent.id}`))
    await check('retryDelivery', 409, state, ada.call('POST', `${path}/retry`))
    if (state === 'publishing') await check('deletePost', 409, 'busy', ada.call('DELETE', `/posts/${sent.id}`))
  }
  const error = JSON.stringify({ code: 'media_deleted', message: 'A file of the post was deleted', retryable: false })
  await targets.set({ state: 'failed', error }).execute()
  await check('retryDelivery', 409, 'mediaDeleted', ada.call('POST', `${path}/retry`))
  await targets.set({ state: 'unconfirmed', error: null }).execute()
  for (const operation of ['retry', 'resolve'] as const) {
    const ask = (path: string) =>
      ada.call('POST', `${path}/${operation}`, operation === 'resolve' ? { outcome: 'published' } : undefined)
    const of = `/posts/${sent.id}/deliveries`
    await check(`${operation}Delivery`, 404, 'postNotFound', ask(`/posts/${NOBODYS_ID}/deliveries/${x}`))
    await check(`${operation}Delivery`, 404, 'deliveryNotFound', ask(`${of}/${NOBODYS_ID}`))
  }
  await check('resolveDelivery', 400, 'missingOutcome', ada.call('POST', `${path}/resolve`, {}))
  const long = { outcome: 'published', url: 'a'.repeat(2 ** 20) }
  await check('resolveDelivery', 413, 'tooLarge', ada.call('POST', `${path}/resolve`, long))
  await check('resolveDelivery', 200, undefined, ada.call('POST', `${path}/resolve`, { outcome: 'published' }))
  await check('resolveDelivery', 409, 'notUnconfirmed', plain.resolveDelivery(ada.key))

  const form = (bytes: Buffer) => upload(app, ada, [['file', bytes]])
  await check('uploadMedia', 400, 'missingFile', upload(app, ada, [['altText', 'a']]))
  await check('uploadMedia', 400, 'unknownType', form(Buffer.from('<html>')))
  await check('uploadMedia', 400, 'behindItsEnd', form(Buffer.concat([image, Buffer.from('0123456789')])))
  await check('importMedia', 400, 'invalidUrl', ada.call('POST', '/media/import', { url: 'lighthouse.jpg' }))
  await check('importMedia', 400, 'notPublic', plain.importMedia(ada.key))
  const body = JSON.stringify({ url: 'a'.repeat(2 ** 20) })
  await check('importMedia', 413, 'tooLarge', ada.call('POST', '/media/import', body))
  await check('listMedia', 400, 'limitTooBig', ada.call('GET', '/media?limit=101'))
  await check('listMedia', 400, 'cursorAndOffset', ada.call('GET', `/media?offset=1&cursor=${NOBODYS_ID}`))
  await check('listSandboxCalls', 400, 'limitTooBig', ada.call('GET', '/sandbox/calls?limit=101'))
  await check(
    'listSandboxCalls',
    400,
    'cursorAndOffset',
    ada.call('GET', `/sandbox/calls?offset=1&cursor=${NOBODYS_ID}`),
  )
  await check('updateMedia', 400, 'missingAltText', ada.call('PATCH', `/media/${file.id}`, {}))
  await check('updateMedia', 413, 'tooLarge', ada.call('PATCH', `/media/${file.id}`, body))
  await check('getMedia', 404, 'notFound', ada.call('GET', `/media/${NOBODYS_ID}`))
  await check('getMediaContent', 404, 'notFound', ada.call('GET', `/media/${NOBODYS_ID}/content`))
  await check('getMediaContent', 404, 'noContent', ada.call('GET', `/media/${await ada.media()}/content`))
  await check('updateMedia', 404, 'notFound', ada.call('PATCH', `/media/${NOBODYS_ID}`, { altText: null }))
  await check('deleteMedia', 404, 'notFound', ada.call('DELETE', `/media/${NOBODYS_ID}`))
  const content = async (headers: Record<string, string>): Promise<Reply> => {
    const url = `/api/v1/media/${file.id}/content`
    const reply = await app.inject({ url, headers: { authorization: `Bearer ${ada.key}`, ...headers } })
    return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
  }
  await check('getMediaContent', 412, 'notThatFile', content({ 'if-match': '"other"' }))
  await check('getMediaContent', 416, 'noSuchRange', content({ range: 'bytes=9000000-' }))
  await ada.call('POST', '/posts', { accountIds: [x], mediaIds: [file.id] })
  await check('deleteMedia', 409, 'inUse', plain.deleteMedia(ada.key))

  const underKey = async (path: string, payload: object | Buffer, type = 'application/json'): Promise<Reply> => {
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': type, 'idempotency-key': 'a' }
    const reply = await app.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload })
    return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
  }
  await check('createPost', 201, undefined, underKey('/posts', { accountIds: [x] }))
  await check('createPost', 409, 'keyTaken', underKey('/posts', { accountIds: [x], caption: 'hi' }))
  await check('connectAccount', 409, 'keyTaken', underKey('/accounts', CONNECT_EXAMPLES.telegram!))
  await check('importMedia', 409, 'keyTaken', underKey('/media/import', { url: 'https://www.example.com/a.jpg' }))
  const encoded = await encode([['file', image]])
  await check('uploadMedia', 409, 'keyTaken', underKey('/media', encoded.body, encoded.type))

  const nowhere = connect({ url: 'postgresql://127.0.0.1:1/nowhere' })
  const stranded = await buildApp({
    db: nowhere,
    logger: false,
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(nowhere),
  })
  t.teardown(async () => {
    await stranded.close()
    await nowhere.destroy()
  })
  for (const [operationId, send] of Object.entries(plain)) {
    await check(operationId, 401, 'missingKey', send())
    await check(operationId, 401, 'invalidKey', send('pr_unknown'))
    await check(operationId, 401, 'expiredKey', send(expired))
    await check(operationId, 503, 'noDatabase', send(ada.key, stranded))
  }

  await check('deletePost', 200, 'deleted', plain.deletePost(ada.key))
  await check('disconnectAccount', 200, 'disconnected', plain.disconnectAccount(ada.key))

  await sql`alter table posts rename to posts_away`.execute(db)
  await sql`alter table accounts rename to accounts_away`.execute(db)
  await sql`alter table media rename to media_away`.execute(db)
  await sql`alter table loose_files rename to loose_files_away`.execute(db)
  await sql`alter table post_targets rename to post_targets_away`.execute(db)
  for (const [operationId, send] of Object.entries(plain)) await check(operationId, 500, 'failed', send(ada.key))
  await sql`alter table api_keys rename to api_keys_away`.execute(db)
  for (const [operationId, send] of Object.entries(plain)) await check(operationId, 503, 'noKeyStore', send(uncached))

  // Too large, and too slow: both are seen on a socket, in the tests of the upload.
  for (const operationId of ['uploadMedia', 'importMedia']) seen.add(`${operationId} 413 tooLargeFile`)
  seen.add('uploadMedia 408 tooSlow')

  const errors = [...operations.values()].flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, response]) =>
        Object.keys(json(response)?.examples ?? {}).map((name) => `${operationId} ${status} ${name}`),
      ),
  )
  t.strictSame(new Set(errors), new Set([...seen].filter((title) => !title.includes(' 200 '))), 'no error was left out')
})

t.test('every example of a request is one that the service takes', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  for (const account of ACCOUNT_EXAMPLES) {
    await insertAccount(db, { displayName: null, ...account, userId: ada.id, organizationId: null })
  }
  await db
    .updateTable('media')
    .set({ id: MEDIA_ID })
    .where('id', '=', await ada.media())
    .execute()

  const { examples } = json(operations.get('createPost')!.requestBody!)
  t.ok(Object.keys(examples).length >= 3)
  for (const [name, { value }] of Object.entries(examples)) {
    const { status, body } = await ada.call('POST', '/posts', value)
    t.equal(status, 201, `${name}: ${body.error}`)
  }
  const [{ id }, , { id: other }] = ACCOUNT_EXAMPLES
  for (const connected of [id, other]) {
    await replaceCredentials(db, connected, networkOptions(db).keyring!.seal(connected, {}))
  }
  const accounts = await ada.call('GET', '/accounts')
  t.strictSame(
    new Set(accounts.body.data),
    new Set(LISTED_ACCOUNTS),
    'and the accounts in the examples are accounts as the service shows them',
  )
})
