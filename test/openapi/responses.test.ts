import { hash as hashOf } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect, type Db, servers } from '../../db/client.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { ACCOUNT_EXAMPLES } from '../../schemas/account.ts'
import { CONNECT_EXAMPLES } from '../../schemas/connect.ts'
import { SandboxCallList } from '../../schemas/sandbox.ts'
import { SCHEDULE_EXAMPLES } from '../../schemas/schedule.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { StorageError } from '../../src/base/storage/storage.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import type { Networks } from '../../src/platforms/adapters.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { buildApp } from '../../src/run/app.ts'
import { call, mediaOptions, networkOptions, type Person, type Reply } from '../helpers/app.ts'
import { connectByOAuth, redirectBack } from '../helpers/connect-oauth.ts'
import { json } from '../helpers/document.ts'
import { recorded } from '../helpers/log-record.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { until } from '../helpers/until.ts'
import { jpeg, upload } from '../helpers/upload.ts'
import { checkPresence } from './check-responses.ts'
import { checkDerived } from './derived-responses.ts'
import { checkEditing } from './edit-responses.ts'
import { checkRemoving } from './remove-responses.ts'
import { CHECKED_ELSEWHERE, checkRenditions } from './rendition-responses.ts'
import {
  CALLBACK,
  check,
  createScene,
  operations,
  problems,
  type Requests,
  requestsOf,
  type Scene,
  seen,
  UNKNOWN_ID,
} from './scene.ts'
import { checkWebhooks } from './webhook-responses.ts'

/** The scopes that another one includes. */
const IMPLIED: Partial<Record<Scope, Scope[]>> = { 'posts:publish': ['posts:write'] }

/** Operations whose response does not depend on the database. */
const NOT_STORED = ['listPlatforms', 'getPlatform'] as const

const READER = { name: 'a', scopes: ['posts:read'] }
const YESTERDAY = new Date(Date.now() - 86_400_000)

async function checkAccounts(t: Test, { db, ada, user, organization, promote }: Scene, requests: Requests) {
  await check('listAccounts', 200, undefined, requests.listAccounts(ada.key))
  await check('listAccounts', 400, 'nameOfAnotherApi', ada.call('GET', '/accounts?page=2'))
  await check('listAccounts', 403, 'no_access', ada.call('GET', `/accounts?organizationId=${UNKNOWN_ID}`))
  await check('connectAccount', 201, undefined, requests.connectAccount(ada.key))
  await check('connectAccount', 200, undefined, requests.connectAccount(ada.key))

  const add = (body: object) => ada.call('POST', '/accounts', body)
  const { bluesky, mastodon } = CONNECT_EXAMPLES
  const withoutPassword = { ...bluesky, credentials: { identifier: 'ada.example.com' } }
  await check('connectAccount', 400, 'missingPassword', add(withoutPassword))
  await check('connectAccount', 400, 'unknownPlatform', add({ ...bluesky, platform: 'instagram' }))
  await check('connectAccount', 400, 'credentials_rejected', add(bluesky!))
  await check('connectAccount', 403, 'no_access', add({ ...bluesky, organizationId: UNKNOWN_ID }))
  const organizationId = await organization(ada)
  await promote(organizationId, await user())
  const asMember = add({ ...bluesky, organizationId })
  await check('connectAccount', 403, 'not_organization_admin', asMember)
  const unreachable = { ...mastodon, credentials: { instance: 'https://mastodon.invalid', accessToken: 'a' } }
  await check('connectAccount', 502, 'platform_unavailable', add(unreachable))
  const common = { db, logger: recorded(false), corsOrigins: [], media: mediaOptions('.') }
  const withoutKeyring = await buildApp({ ...common, ...networkOptions(db), keyring: undefined })
  t.teardown(() => withoutKeyring.close())
  await check('connectAccount', 503, 'credentials_key_missing', requests.connectAccount(ada.key, withoutKeyring))
  const withOtherKeyring = await buildApp({ ...common, ...networkOptions(db) })
  t.teardown(() => withOtherKeyring.close())
  await check('connectAccount', 503, 'credentials_key_mismatch', requests.connectAccount(ada.key, withOtherKeyring))

  const bob = await user()
  const shared = await bob.account('x', { organizationId: await organization(ada, bob) })
  await check('getAccount', 200, undefined, requests.getAccount(ada.key))
  const change = (id: string, body: object) => ada.call('PATCH', `/accounts/${id}`, body)
  await check('updateAccount', 200, undefined, requests.updateAccount(ada.key))
  await check('getAccountAvatar', 404, 'avatar_not_found', requests.getAccountAvatar(ada.key))
  const boards = await ada.account('sandbox', { username: 'ada' })
  await check('updateAccount', 400, 'unknownField', change(boards, { defaultFields: { board: '1' } }))
  await check('updateAccount', 400, 'platform_limit', change(boards, { defaultFields: { boardId: 5 } }))
  await check('updateAccount', 403, 'not_account_owner', change(shared, { displayName: 'a' }))
  await checkConditions(ada, 'updateAccount', 'PATCH', `/accounts/${boards}`, { displayName: 'a' })
  await check('disconnectAccount', 403, 'not_account_owner', ada.call('DELETE', `/accounts/${shared}`))
}

async function checkSchedules({ ada, account }: Scene, requests: Requests) {
  const { weekdays } = SCHEDULE_EXAMPLES
  const path = `/accounts/${ACCOUNT_EXAMPLES[0].id}`
  for (const name of ['putSchedule', 'getSchedule', 'listSlots', 'rearrangeSchedule'] as const) {
    await check(name, 200, undefined, requests[name](ada.key))
  }
  await check('getSchedule', 404, 'schedule_not_found', ada.call('GET', `${path}/schedule`))
  await check('listSlots', 404, 'schedule_not_found', ada.call('GET', `${path}/slots`))
  await check('rearrangeSchedule', 404, 'schedule_not_found', ada.call('POST', `${path}/schedule/rearrange`))
  const put = (changes: object) => ada.call('PUT', `${path}/schedule`, { ...weekdays, ...changes })
  await checkConditions(ada, 'rearrangeSchedule', 'POST', `/accounts/${account}/schedule/rearrange`)
  await checkConditions(ada, 'putSchedule', 'PUT', `/accounts/${account}/schedule`, weekdays)
  const putIfAny = ada.call('PUT', `${path}/schedule`, weekdays, { 'if-match': '*' })
  await check('putSchedule', 404, 'schedule_not_found', putIfAny)
  await check('putSchedule', 400, 'unknownZone', put({ timeZone: 'Europe/Berln' }))
  const [slot] = weekdays.slots
  await check('putSchedule', 400, 'repeatedSlot', put({ slots: [slot, slot] }))
}

async function checkBudgets({ app, db, ada, user, organization, account, keyId }: Scene, requests: Requests) {
  for (const name of ['getAccountBudget', 'putAccountBudget', 'getKeyBudget', 'putKeyBudget'] as const) {
    await check(name, 200, undefined, requests[name](ada.key))
  }
  const none = { limitUsdMicros: null }
  const put = (path: string, body: object, key = ada.key) => call(app, key, 'PUT', `${path}/budget`, body)
  const free = put(`/accounts/${ACCOUNT_EXAMPLES[0].id}`, { limitUsdMicros: 5_000_000 })
  await check('putAccountBudget', 400, 'freeNetwork', free)
  const bob = await user()
  const shared = await bob.account('x', { organizationId: await organization(ada, bob) })
  await check('putAccountBudget', 403, 'not_account_owner', put(`/accounts/${shared}`, none))
  await check('putKeyBudget', 400, 'notInteger', put(`/keys/${keyId}`, { limitUsdMicros: 0.5 }))
  const create = (scopes: Scope[] | null) => createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes })
  const [limited, manager, other] = [await create(null), await create(['keys:manage']), await create(['posts:publish'])]
  await check('putKeyBudget', 403, 'api_key_too_wide', put(`/keys/${other.id}`, none, manager.key))
  await put(`/keys/${limited.id}`, { limitUsdMicros: 1 })
  await check('putKeyBudget', 403, 'budget_limited', put(`/keys/${limited.id}`, none, limited.key))
  await check('putAccountBudget', 403, 'budget_limited', put(`/accounts/${account}`, none, limited.key))
}

/** The conflicts of a post that gets no slots. The account of the examples has none at first. */
async function checkQueues({ ada, account }: Scene) {
  const [{ id }] = ACCOUNT_EXAMPLES
  const put = (changes: object) =>
    ada.call('PUT', `/accounts/${id}/schedule`, { ...SCHEDULE_EXAMPLES.weekdays, ...changes })
  const draft = await ada.call('POST', '/posts', { accountIds: [id], caption: 'hi' })
  const attempt = async (example: string, queue: string, accountIds = [id as string]) => {
    const schedule = { queue }
    const post = { accountIds, caption: 'hi', schedule }
    await check('createPost', 409, example, ada.call('POST', '/posts', post))
    await check('updatePost', 409, example, ada.call('PATCH', `/posts/${draft.body.id}`, { accountIds, schedule }))
    return post
  }
  const post = await attempt('queue_without_slots', 'next')
  await check('createPosts', 409, 'queue_without_slots', ada.call('POST', '/posts/batch', { posts: [post] }))
  const rearrange = () => ada.call('POST', `/accounts/${id}/schedule/rearrange`)
  await put({ slots: [] })
  await check('rearrangeSchedule', 409, 'queue_without_slots', rearrange())
  await put({ slots: [{ weekday: 'monday', time: '09:31' }] })
  await ada.call('POST', '/posts', post)
  await attempt('queue_full_2', 'together', [id, account])
  const mondays = Array.from({ length: 400 }, (_, day) => new Date(Date.now() + (day - 2) * 86_400_000))
    .filter((date) => date.getUTCDay() === 1)
    .map((date) => date.toISOString().slice(0, 10))
  await put({ slots: [{ weekday: 'monday', time: '09:31' }], skip: mondays })
  await attempt('queue_full', 'next')
  await check('rearrangeSchedule', 409, 'queue_full', rearrange())
}

async function checkPlatforms(t: Test, { db, ada }: Scene, requests: Requests) {
  for (const operationId of NOT_STORED) await check(operationId, 200, undefined, requests[operationId](ada.key))
  await check('getAccountLimits', 200, undefined, requests.getAccountLimits(ada.key))
  await check('getPlatform', 404, 'platform_not_found_2', ada.call('GET', '/platforms/twitter'))
  const networks = new Proxy({} as Networks, {
    get: () => {
      throw new Error('for this test')
    },
  })
  const common = { db, logger: recorded(false), corsOrigins: [], media: mediaOptions('.') }
  const broken = await buildApp({ ...common, ...networkOptions(db), networks })
  t.teardown(() => broken.close())
  for (const operationId of NOT_STORED)
    await check(operationId, 500, 'internal_error', requests[operationId](ada.key, broken))
}

async function checkFieldOptions(t: Test, { db, ada, keyring }: Scene, requests: Requests) {
  const read = (account: string, field = 'boardId', query = '') =>
    ada.call('GET', `/accounts/${account}/options/${field}${query}`)
  const connected = (credentials: object) =>
    ada.account('sandbox', { credentials: { username: 'ada', ...credentials } })
  const account = await connected({})
  await check('listFieldOptions', 200, undefined, requests.listFieldOptions(ada.key))
  await check('listFieldOptions', 400, 'missingBoard', read(account, 'boardSectionId'))
  await check('listFieldOptions', 400, 'platform_refused', read(account, 'boardSectionId', '?boardId=3'))
  await check('listFieldOptions', 404, 'field_without_options', read(account, 'playlistId'))
  await check('listFieldOptions', 409, 'account_not_connected', read(await ada.account('sandbox')))
  await check('listFieldOptions', 409, 'credentials_rejected', read(await connected({ token: 'expired' })))

  const common = () => ({
    db,
    logger: recorded(false),
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(db),
  })
  const { sandbox } = common().networks
  const options = { code: 'unreachable', maybeSent: false, retryable: true }
  const unreachable = () =>
    Promise.reject(
      new PublishError('sandbox.invalid does not resolve to a public address: check its spelling (ENOTFOUND)', options),
    )
  const networks = { ...common().networks, sandbox: { ...sandbox, options: { boardId: { read: unreachable } } } }
  const withoutNetwork = await buildApp({ ...common(), keyring, networks })
  const withoutKeyring = await buildApp({ ...common(), keyring: undefined })
  const withOtherKeyring = await buildApp(common())
  t.teardown(() => Promise.all([withoutNetwork.close(), withoutKeyring.close(), withOtherKeyring.close()]))
  await check('listFieldOptions', 502, 'platform_unavailable', requests.listFieldOptions(ada.key, withoutNetwork))
  await check('listFieldOptions', 503, 'credentials_key_missing', requests.listFieldOptions(ada.key, withoutKeyring))
  await check('listFieldOptions', 503, 'credentials_key_mismatch', requests.listFieldOptions(ada.key, withOtherKeyring))
}

async function checkConnections(t: Test, scene: Scene, requests: Requests) {
  const { db, ada, user, organization, promote, oauth, connecting } = scene
  const create = (body: object) => ada.call('POST', '/connections', { platform: 'x', ...body })
  await check('createConnection', 201, undefined, requests.createConnection(ada.key))
  await check('createConnection', 400, 'otherPlatform', create({ accountId: ACCOUNT_EXAMPLES[0].id }))
  await check('createConnection', 400, 'platform_not_supported', create({ platform: 'telegram' }))
  await check('createConnection', 400, 'return_url_not_allowed', create({ returnUrl: 'https://app.example.net' }))
  await check('createConnection', 403, 'no_access', create({ organizationId: UNKNOWN_ID }))
  const organizationId = await organization(ada)
  await promote(organizationId, await user())
  const asMember = create({ organizationId })
  await check('createConnection', 403, 'not_organization_admin', asMember)
  await check('createConnection', 403, 'no_access_2', create({ accountId: UNKNOWN_ID }))
  const bob = await user()
  const shared = await bob.account('x', { organizationId: await organization(ada, bob) })
  await check('createConnection', 403, 'not_account_owner', create({ accountId: shared }))
  const options = { code: 'unreachable', maybeSent: false, retryable: true }
  oauth.beginError = new PublishError(
    'api.x.com does not resolve to a public address: check its spelling (ENOTFOUND)',
    options,
  )
  await check('createConnection', 502, 'platform_unavailable', create({ manual: true }))
  oauth.beginError = undefined
  await check('createConnection', 400, 'noServer', create({ platform: 'mastodon' }))
  await check('createConnection', 400, 'platform_refused', create({ platform: 'mastodon', hint: 'www.example.com' }))

  await check('getConnection', 200, undefined, requests.getConnection(ada.key))
  await check('completeConnection', 409, 'connection_not_opened', requests.completeConnection(ada.key))
  await check('chooseAccounts', 409, 'connection_not_choosing', requests.chooseAccounts(ada.key))
  await checkFlow(scene)
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
  await check('createConnection', 400, 'app_missing', requests.createConnection(ada.key, withoutApp))
  for (const [example, app] of Object.entries({
    credentials_key_missing: withoutKeyring,
    credentials_key_mismatch: withOtherKeyring,
  })) {
    await check('createConnection', 503, example, requests.createConnection(ada.key, app))
    const headers = app === withOtherKeyring ? { 'idempotency-key': 'upload' } : {}
    await ada.call('POST', '/media/uploads', { fileName: 'a' }, headers)
    const again = call(app, ada.key, 'POST', '/media/uploads', { fileName: 'a' }, headers)
    await check('createUpload', 503, example, again)
    const { body } = await create({ manual: true })
    const callback = { callbackUrl: String(await redirectBack()(new URL(body.url))) }
    const path = `/connections/${body.id}`
    await check('completeConnection', 503, example, call(app, ada.key, 'POST', `${path}/complete`, callback))
    oauth.accounts = [grantedAccount('1'), grantedAccount('2')]
    await ada.call('POST', `${path}/complete`, callback)
    await check('chooseAccounts', 503, example, call(app, ada.key, 'POST', `${path}/choose`, { ids: ['1'] }))
  }
}

async function checkApps(t: Test, { app, db, ada, user, organization, connecting, oauth }: Scene, requests: Requests) {
  const put = (body: object, path = '/apps/x') => ada.call('PUT', path, { clientId: 'a', ...body })
  await check('putApp', 400, 'missingClientId', ada.call('PUT', '/apps/x', {}))
  await check('putApp', 400, 'platform_not_supported', put({}, '/apps/telegram'))
  await check('putApp', 400, 'platform_not_supported_2', put({}, '/apps/mastodon'))
  await check('putApp', 400, 'platform_not_supported_3', put({}, '/apps/twitter'))
  await check('putApp', 400, 'idOfAnotherForm', put({}, '/apps/facebook'))
  const shared = await organization(ada, await user())
  for (const [example, organizationId] of [
    ['no_access', UNKNOWN_ID],
    ['not_organization_admin', shared],
  ] as const) {
    await check('putApp', 403, example, put({ organizationId }))
    const reply = ada.call('DELETE', `/apps/x?organizationId=${organizationId}`)
    await check('deleteApp', 403, example, reply)
  }
  const repeated = `organizationId=${shared}&organizationId=${shared}`
  await check('deleteApp', 400, 'repeated', ada.call('DELETE', `/apps/x?${repeated}`))
  await check('deleteApp', 404, 'app_not_found', requests.deleteApp(ada.key))
  await check('deleteApp', 404, 'app_not_found_2', ada.call('DELETE', '/apps/twitter'))
  await check('putApp', 200, undefined, requests.putApp(ada.key))
  await check('listApps', 200, undefined, requests.listApps(ada.key))
  oauth.accounts = [grantedAccount('9')]
  const { accounts } = await connectByOAuth(app, ada, { platform: 'x' }, redirectBack())
  await check('deleteApp', 409, 'app_in_use', requests.deleteApp(ada.key))
  await ada.call('DELETE', `/accounts/${accounts[0].id}`)
  await check('deleteApp', 200, 'deleted', requests.deleteApp(ada.key))

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
  await check('putApp', 503, 'credentials_key_missing', requests.putApp(ada.key, withoutKeyring))
  await check('putApp', 503, 'credentials_key_mismatch', requests.putApp(ada.key, withOtherKeyring))
}

/** A flow whose user has to choose. */
async function checkFlow({ app, ada, user, organization, promote, oauth }: Scene) {
  const bob = await user()
  const organizationId = await organization(ada)
  await promote(organizationId, bob)
  oauth.accounts = [grantedAccount('2')]
  await connectByOAuth(app, bob, { platform: 'x', organizationId }, redirectBack())
  oauth.accounts = [grantedAccount('1'), grantedAccount('2')]
  const { body } = await ada.call('POST', '/connections', { platform: 'x', manual: true })
  const path = `/connections/${body.id}`
  await check(
    'completeConnection',
    400,
    'other_connection',
    ada.call('POST', `${path}/complete`, { callbackUrl: CALLBACK }),
  )
  await check('completeConnection', 400, 'missingUrl', ada.call('POST', `${path}/complete`, {}))
  const callbackUrl = String(await redirectBack()(new URL(body.url)))
  await check('completeConnection', 200, undefined, ada.call('POST', `${path}/complete`, { callbackUrl }))
  const choose = (ids: string[]) => ada.call('POST', `${path}/choose`, { ids })
  await check('chooseAccounts', 400, 'unknownChoice', choose(['3']))
  await check('chooseAccounts', 409, 'account_not_connectable', choose(['2']))
  await check('chooseAccounts', 200, undefined, choose(['1']))
}

async function checkPosts(scene: Scene, requests: Requests) {
  const { db, ada, account } = scene
  const create = (body: object) => ada.call('POST', '/posts', body)
  const scheduled = { accountIds: [account], caption: 'hi', scheduledAt: '2030-01-01T00:00:00Z' }
  await check('createPost', 201, undefined, requests.createPost(ada.key))
  await check('createPost', 201, undefined, create(scheduled))
  await check(
    'createPost',
    400,
    'warnings_not_allowed',
    ada.call('POST', '/posts?strict=true', { accountIds: [account] }),
  )
  await check('validatePost', 200, undefined, requests.validatePost(ada.key))
  await check(
    'validatePost',
    200,
    undefined,
    ada.call('POST', '/posts/validate?strict=true', { accountIds: [account] }),
  )
  await check('validatePost', 400, 'missingAccountIds', ada.call('POST', '/posts/validate', {}))
  await check('listPosts', 200, undefined, requests.listPosts(ada.key))
  await checkBatches(ada, account, requests)

  const withoutZone = { accountIds: [account], scheduledAt: '2027-01-15T09:30:00' }
  const misspelt = { accountIds: [account], scheduleAt: '2027-01-15T09:30:00Z' }
  await check('createPost', 400, 'missingAccountIds', create({}))
  await check('createPost', 400, 'timeWithoutZone', create(withoutZone))
  const doubled = { accountIds: [account], scheduledAt: '2027-10-31T02:30:00', timeZone: 'Europe/Berlin' }
  await check('createPost', 400, 'doubledTime', create(doubled))
  await check('createPost', 400, 'unknownKey', create(misspelt))
  await check('createPost', 400, 'platform_limit', create({ accountIds: [account], caption: 'a'.repeat(312) }))
  await check('createPost', 403, 'no_access', create({ accountIds: [account, UNKNOWN_ID] }))
  await checkFinds(scene, requests)
  await checkChanges(scene, requests)

  const { body: published } = await create({ accountIds: [account] })
  await markPostPublished(db, published.id)
  await check('deletePost', 400, 'post_published', ada.call('DELETE', `/posts/${published.id}`))
  const { body: draft } = await create({ accountIds: [account], caption: 'hi' })
  await checkConditions(ada, 'deletePost', 'DELETE', `/posts/${draft.id}`)
  await checkConditions(ada, 'publishPost', 'POST', `/posts/${draft.id}/publish`)
  await check('publishPost', 409, 'post_published', ada.call('POST', `/posts/${published.id}/publish`))

  await checkUpdates(ada, draft.id, published.id)

  const instagram = await ada.account('instagram', { username: 'ada' })
  const { body: incomplete } = await create({ accountIds: [instagram] })
  await check('publishPost', 400, 'platform_limit', ada.call('POST', `/posts/${incomplete.id}/publish`))
  const [{ id: disconnected }] = ACCOUNT_EXAMPLES
  const { body: orphan } = await create({ accountIds: [disconnected], caption: 'hi' })
  const accounts = db.updateTable('accounts').where('id', '=', disconnected)
  await accounts.set({ disconnectedAt: new Date() }).execute()
  await check('publishPost', 403, 'no_access', ada.call('POST', `/posts/${orphan.id}/publish`))
  await db.updateTable('postTargets').set({ state: 'failed' }).where('postId', '=', orphan.id).execute()
  const retryOrphan = ada.call('POST', `/posts/${orphan.id}/deliveries/${disconnected}/retry`, { captionOverride: 'a' })
  await check('retryDelivery', 403, 'no_access', retryOrphan)
  await accounts.set({ disconnectedAt: null }).execute()
}

async function checkBatches(ada: Person, account: string, requests: Requests) {
  const create = (posts: object[], mode = 'all') => ada.call('POST', '/posts/batch', { posts, mode })
  const validate = (posts: object[]) => ada.call('POST', '/posts/batch/validate', { posts })
  const draft = { accountIds: [account] }
  const long = { accountIds: [ACCOUNT_EXAMPLES[0].id], caption: 'a'.repeat(312) }
  await check('createPosts', 201, undefined, requests.createPosts(ada.key))
  await check('createPosts', 200, undefined, create([draft, long], 'each'))
  await check('createPosts', 400, 'platform_limit', create([draft, long]))
  const strict = ada.call('POST', '/posts/batch?strict=true', { posts: [draft] })
  await check('createPosts', 400, 'warnings_not_allowed', strict)
  await check('createPosts', 403, 'no_access', create([{ accountIds: [UNKNOWN_ID] }]))
  await check('validatePosts', 200, undefined, requests.validatePosts(ada.key))
  for (const [operationId, send] of Object.entries({ createPosts: create, validatePosts: validate })) {
    await check(operationId, 400, 'missingAccountIds', send([draft, {}]))
    await check(operationId, 400, undefined, send(Array(101).fill(draft)))
  }
}

async function checkChanges({ user, ada, organization }: Scene, requests: Requests) {
  const many = await user()
  const posts = Array(100).fill({ accountIds: [await many.account()] })
  for (let batch = 0; batch < 6; batch++) await many.call('POST', '/posts/batch', { posts })
  for (const [operationId, method, path] of [
    ['updatePosts', 'PATCH', '/posts/batch'],
    ['deletePosts', 'POST', '/posts/delete'],
  ] as const) {
    const set = operationId === 'updatePosts' ? { set: { firstComment: 'hi' } } : {}
    const send = (body: object) => ada.call(method, path, { ...body, ...set })
    const filters = { createdFrom: '2000-01-01T00:00:00Z' }
    await check(operationId, 200, undefined, requests[operationId]!(ada.key))
    await check(operationId, 400, 'noFilter', send({ filters: {} }))
    await check(operationId, 400, 'oneSelection', send({ ids: [UNKNOWN_ID], filters }))
    await check(operationId, 400, 'cursorOfAnotherQuery', send({ filters, cursor: 'A'.repeat(80), dryRun: true }))
    for (const [example, organizationId] of [
      ['no_access', UNKNOWN_ID],
      ['not_organization_admin', await organization(ada)],
    ] as const) {
      await check(operationId, 403, example, send({ filters: { organizationId } }))
    }
    await check(operationId, 400, 'too_many_posts', many.call(method, path, { filters, ...set }))
  }
  await check('updatePosts', 400, 'invalidShift', ada.call('PATCH', '/posts/batch', { ids: [UNKNOWN_ID], shift: '2h' }))
}

async function checkFinds({ app, db, ada, organization }: Scene, requests: Requests) {
  const get = (path: string) => ada.call('GET', path)
  await check('listPosts', 200, undefined, get('/posts?include=deliveries&include=targets&include=media'))
  await check('listPosts', 400, 'cursorOfAnotherQuery', get(`/posts?status=draft&cursor=${UNKNOWN_ID}`))
  await check('listPosts', 400, 'offsetWithFilter', get('/posts?status=draft&offset=1'))
  await check('listPosts', 400, 'mistypedFilter', get('/posts?statuss=draft'))
  await check('listPosts', 400, 'nameOfAnotherApi', get('/posts?page=2'))
  await check('listPosts', 400, 'noWord', get('/posts?q=%25'))
  await check('listMedia', 400, 'offsetWithFilter', get(`/media?organizationId=${UNKNOWN_ID}&offset=1`))
  await check('listMedia', 400, 'nothingToSearch', get('/media?q=%20'))
  for (const [example, organizationId] of [
    ['no_access', UNKNOWN_ID],
    ['not_organization_admin', await organization(ada)],
  ] as const) {
    const query = `organizationId=${organizationId}`
    await check('listPosts', 403, example, get(`/posts?${query}`))
    await check('listDeliveries', 403, example, get(`/deliveries?${query}`))
    await check('listDeliveryMetrics', 403, example, get(`/deliveries/metrics?${query}`))
    await check('countPosts', 403, example, get(`/posts/counts?by=state&${query}`))
    await check('listMedia', 403, example, get(`/media?${query}`))
  }
  await check('listDeliveries', 200, undefined, requests.listDeliveries(ada.key))
  await check('listDeliveries', 400, 'cursorOfAnotherQuery', get(`/deliveries?cursor=${'A'.repeat(80)}`))
  await check('listDeliveryMetrics', 200, undefined, requests.listDeliveryMetrics(ada.key))
  const ofOtherQuery = get(`/deliveries/metrics?cursor=${'A'.repeat(80)}`)
  await check('listDeliveryMetrics', 400, 'cursorOfAnotherQuery', ofOtherQuery)
  await check('retryDeliveries', 200, undefined, requests.retryDeliveries(ada.key))
  const retry = (body: object) => ada.call('POST', '/deliveries/retry', body)
  await check('retryDeliveries', 400, 'unknownFilter', retry({ account: 'a' }))
  await check('retryDeliveries', 400, 'cursorOfAnotherQuery', retry({ cursor: 'A'.repeat(80) }))
  await check('listEvents', 200, undefined, requests.listEvents(ada.key))
  await check('listEvents', 400, 'otherCursor', get('/events?after=AAAAAAAAAAAA'))
  await check('listEvents', 400, 'waitTooLong', get('/events?wait=1000000000'))
  const { key: reader } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: ['posts:read'] })
  await check('listEvents', 403, 'insufficient_scope', call(app, reader, 'GET', '/events?types=key.*'))
  await check('listEvents', 403, 'insufficient_scope_2', call(app, reader, 'GET', '/events?allUsers=true'))
  const { key: admin } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: SCOPE_NAMES })
  const ofUnknown = call(app, admin, 'GET', `/events?organizationId=${UNKNOWN_ID}`)
  await check('listEvents', 404, 'organization_not_found', ofUnknown)
  const foreign = call(app, reader, 'GET', `/events/${UNKNOWN_ID}?allUsers=true`)
  await check('getEvent', 403, 'insufficient_scope_2', foreign)
  const scopes: Scope[] = ['admin']
  const { key: onlyUsers } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes })
  await check('getEvent', 403, 'insufficient_scope', call(app, onlyUsers, 'GET', `/events/${UNKNOWN_ID}`))
  await check('getEvent', 200, undefined, requests.getEvent(ada.key))
  await check('countPosts', 200, undefined, requests.countPosts(ada.key))
  await check('countPosts', 400, 'unknownTimeZone', get('/posts/counts?by=day&timeZone=Berlin'))
}

async function checkUpdates(ada: Person, draft: string, published: string) {
  const update = (id: string, body: object) => ada.call('PATCH', `/posts/${id}`, body)
  await check('updatePost', 200, undefined, update(draft, { firstComment: 'hi' }))
  await check('updatePost', 400, 'captionRemoved', update(draft, { caption: null }))
  await check('updatePost', 400, 'platform_limit', update(draft, { caption: 'a'.repeat(312), firstComment: null }))
  const strict = ada.call('PATCH', `/posts/${draft}?strict=true`, { firstComment: null })
  await check('updatePost', 400, 'warnings_not_allowed', strict)
  await check('updatePost', 400, 'post_published', update(published, { caption: 'hi' }))
  await check('updatePost', 403, 'no_access', update(draft, { accountIds: [UNKNOWN_ID] }))
  await checkConditions(ada, 'updatePost', 'PATCH', `/posts/${draft}`, { caption: 'hi' })
  const sandbox = await ada.account('sandbox')
  const { body: open } = await ada.call('POST', '/posts', { accountIds: [sandbox] })
  const fill = (key: string) =>
    update(open.id, { overrides: { [sandbox]: { fields: { [key]: 'a'.repeat(2 ** 19) } } } })
  await check('updatePost', 200, undefined, fill('one'))
  await check('updatePost', 413, 'body_too_large_2', fill('two'))
}

/** The condition of a request that changes a post, in a state in which the request would be carried out. */
async function checkConditions(
  ada: Person,
  operationId: string,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) {
  const sendIf = (ifMatch: string) => ada.call(method, path, body, { 'if-match': ifMatch })
  await check(operationId, 412, 'precondition_failed', sendIf('"other"'))
}

async function checkDeliveries({ db, ada }: Scene, requests: Requests) {
  // On a network that cannot be queried.
  const account = await ada.account('telegram')
  const scheduled = { accountIds: [account], caption: 'hi', scheduledAt: '2030-01-01T00:00:00Z' }
  const { body: post } = await ada.call('POST', '/posts', scheduled)
  const path = `/posts/${post.id}/deliveries/${account}`
  const targets = db.updateTable('postTargets').where('postId', '=', post.id)
  const retry = (path: string) => ada.call('POST', `${path}/retry`)
  const resolve = (path: string, body: object = { outcome: 'published' }) => ada.call('POST', `${path}/resolve`, body)

  await check('retryDelivery', 409, 'delivery_not_due', retry(path))
  await check('publishPost', 202, undefined, ada.call('POST', `/posts/${post.id}/publish`))
  await check('retryDelivery', 202, undefined, retry(path))
  await checkConditions(ada, 'retryDelivery', 'POST', `${path}/retry`)
  await checkEdits(db, ada, post.id, path)
  await check('getPostMetrics', 200, undefined, ada.call('GET', `/posts/${post.id}/metrics`))
  await check('getPostMetrics', 409, 'metrics_off', ada.call('GET', `/posts/${post.id}/metrics?refresh=true`))
  await check('retryDelivery', 409, 'post_is_draft', requests.retryDelivery(ada.key))
  for (const [state, example] of [
    ['publishing', 'delivery_in_progress'],
    ['published', 'delivery_published'],
    ['unconfirmed', 'delivery_unconfirmed'],
  ] as const) {
    await targets.set({ state }).execute()
    await check('getPost', 200, undefined, ada.call('GET', `/posts/${post.id}`))
    await check('retryDelivery', 409, example, retry(path))
    if (state !== 'publishing') continue
    await check('deletePost', 409, 'post_busy', ada.call('DELETE', `/posts/${post.id}`))
    await check('updatePost', 409, 'post_busy', ada.call('PATCH', `/posts/${post.id}`, { caption: 'hi' }))
  }
  const error = JSON.stringify({ code: 'media_deleted', message: 'A file of the post was deleted', retryable: false })
  await targets.set({ state: 'failed', error }).execute()
  await check('retryDelivery', 409, 'media_deleted', retry(path))

  await targets.set({ state: 'unconfirmed', error: null }).execute()
  await checkCancelling(ada, (values) => targets.set(values).execute(), path)
  await targets.set({ state: 'unconfirmed', error: null }).execute()
  await check('resolveDelivery', 400, 'missingOutcome', resolve(path, {}))
  await targets.set({ lostCallAt: new Date() }).execute()
  await check('resolveDelivery', 409, 'delivery_in_progress', resolve(path, { outcome: 'not_published' }))
  await check('resolveDelivery', 200, undefined, resolve(path))
  await check('resolveDelivery', 409, 'delivery_not_unconfirmed', requests.resolveDelivery(ada.key))
}

/** Retries with other content. */
async function checkEdits(db: Db, ada: Person, postId: string, path: string) {
  const retry = (body: object) => ada.call('POST', `${path}/retry`, body)
  const targets = db.updateTable('postTargets').where('postId', '=', postId)
  await targets.set({ state: 'failed' }).execute()
  await check('retryDelivery', 202, undefined, retry({ captionOverride: 'hello' }))
  await check('retryDelivery', 400, 'platform_limit', retry({ captionOverride: 'a'.repeat(4_097) }))
  await check('retryDelivery', 202, undefined, retry({ fields: { one: 'a'.repeat(2 ** 19) } }))
  await check('retryDelivery', 413, 'body_too_large_2', retry({ fields: { two: 'a'.repeat(2 ** 19) } }))
  await targets.set({ intent: 1 }).execute()
  await check('retryDelivery', 409, 'delivery_unconfirmed_2', retry({ captionOverride: 'again' }))
  const sent = JSON.stringify([{ id: '1', url: null }])
  await targets.set({ intent: null, state: 'failed', sent }).execute()
  await check('retryDelivery', 400, 'publishedParts', retry({ captionOverride: 'again' }))
  await targets.set({ state: 'queued', sent: '[]', fields: null, captionOverride: null }).execute()
}

async function checkCancelling(
  ada: Person,
  change: (values: { state: string; error?: null }) => Promise<unknown>,
  path: string,
) {
  const cancel = () => ada.call('POST', `${path}/cancel`)
  const mark = (body: object = {}) => ada.call('POST', `${path}/mark-published`, body)
  await check('cancelDelivery', 409, 'delivery_not_queued', cancel())
  await check('markDeliveryPublished', 400, 'badUrl', mark({ url: 'a' }))
  await change({ state: 'failed' })
  const ofOthers = { url: 'https://t.me/lighthouses/17' }
  await check('markDeliveryPublished', 400, 'urlOfAnotherAccount', mark(ofOthers))
  for (const [state, example] of [
    ['waiting', 'post_is_draft'],
    ['publishing', 'delivery_in_progress'],
    ['published', 'delivery_published'],
  ] as const) {
    await change({ state, error: null })
    await check('markDeliveryPublished', 409, example, mark())
    if (state === 'publishing') await check('cancelDelivery', 409, example, cancel())
  }
  await change({ state: 'queued' })
  await checkConditions(ada, 'cancelDelivery', 'POST', `${path}/cancel`)
  await checkConditions(ada, 'markDeliveryPublished', 'POST', `${path}/mark-published`, {})
  await check('cancelDelivery', 200, undefined, cancel())
  const publish = ada.call('POST', `${path.replace(/\/deliveries.*/, '')}/publish`)
  await check('publishPost', 409, 'post_cancelled', publish)
  await check('markDeliveryPublished', 200, undefined, mark())
}

/** A file that its owner uses in a post of the organisation, and in another one. */
async function checkFileOfMember({ ada, user, organization, promote }: Scene) {
  const bob = await user()
  const organizationId = await organization(bob)
  await promote(organizationId, ada)
  const file = await bob.media()
  for (const account of [await bob.account('x', { organizationId }), await bob.account('x')]) {
    await bob.call('POST', '/posts', { accountIds: [account], mediaIds: [file] })
  }
  await check('getMedia', 200, undefined, ada.call('GET', `/media/${file}`))
  await check('updateMedia', 403, 'media_used_elsewhere', ada.call('PATCH', `/media/${file}`, { altText: 'a' }))
  await check('deleteMedia', 403, 'media_used_elsewhere', ada.call('DELETE', `/media/${file}`))
}

async function checkMedia(scene: Scene, requests: Requests) {
  const { app, ada, image, account, fileId } = scene
  await check('uploadMedia', 201, undefined, requests.uploadMedia(ada.key))
  await check('uploadMedia', 200, undefined, requests.uploadMedia(ada.key))
  await check('listMedia', 200, undefined, requests.listMedia(ada.key))
  await check('getMedia', 200, undefined, requests.getMedia(ada.key))
  await check('updateMedia', 200, undefined, requests.updateMedia(ada.key))

  const sha256 = hashOf('sha256', image)
  await check('createUpload', 201, undefined, requests.createUpload(ada.key))
  await check('createUpload', 200, undefined, ada.call('POST', '/media/uploads', { fileName: 'a', sha256 }))
  await check('createUpload', 400, 'missingFileName', ada.call('POST', '/media/uploads', {}))
  await check('getUpload', 200, undefined, ada.call('GET', `/media/${fileId}/upload`))

  const send = (bytes: Buffer) => upload(app, ada, [['file', bytes]])
  await check('uploadMedia', 400, 'missingFile', upload(app, ada, [['altText', 'a']]))
  await check('uploadMedia', 400, 'file_type_unsupported', send(Buffer.from('<html>')))
  const heic = Buffer.from('\0\0\0\x18ftypmif1\0\0\0\0mif1heic', 'latin1')
  await check('uploadMedia', 400, 'file_type_unsupported_2', send(heic))
  await check('uploadMedia', 400, 'file_invalid', send(Buffer.concat([image, Buffer.from('0123456789')])))
  await check('importMedia', 400, 'invalidUrl', ada.call('POST', '/media/import', { url: 'lighthouse.jpg' }))
  await check('importMedia', 400, 'url_not_public', requests.importMedia(ada.key))
  await check('updateMedia', 400, 'missingAltText', ada.call('PATCH', `/media/${fileId}`, {}))

  const empty = await ada.media()
  await check('getMediaContent', 404, 'media_without_content', ada.call('GET', `/media/${empty}/content`))
  await check('getMediaPreview', 404, 'media_without_content', ada.call('GET', `/media/${empty}/preview`))
  await checkFileOfMember(scene)
  await checkFileOfDelivery(scene)
  const read = async (part: 'content' | 'preview', headers: Record<string, string>): Promise<Reply> => {
    const url = `/api/v1/media/${fileId}/${part}`
    const reply = await app.inject({ url, headers: { authorization: `Bearer ${ada.key}`, ...headers } })
    return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
  }
  for (const [operationId, part] of [
    ['getMediaContent', 'content'],
    ['getMediaPreview', 'preview'],
  ] as const) {
    await check(operationId, 412, 'precondition_failed', read(part, { 'if-match': '"other"' }))
    await check(operationId, 416, 'range_not_satisfiable', read(part, { range: 'bytes=9000000-' }))
  }
  await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [fileId] })
  await check('deleteMedia', 409, 'media_in_use', requests.deleteMedia(ada.key))
}

async function checkSandbox(t: Test, { db, ada, account, user, organization }: Scene, requests: Requests) {
  for (const call of SandboxCallList.examples[0].data) {
    await sandboxStore(db).keep({ ...call, accountId: account, token: UNKNOWN_ID, number: 1 })
  }
  const { body } = await requests.listSandboxCalls(ada.key)
  t.equal(body.data.length, SandboxCallList.examples[0].data.length)
  await check('listSandboxCalls', 200, undefined, requests.listSandboxCalls(ada.key))
  await check('putSandboxClock', 409, 'sandbox_only', requests.putSandboxClock(ada.key))
  const bob = await user()
  const move = (now = '2099-03-31T22:00:00Z', person = bob) => person.call('PUT', '/sandbox/clock', { now })
  await check('putSandboxClock', 400, 'tooLate', move('9999-01-01T00:00:00Z'))
  await check('putSandboxClock', 202, undefined, requests.putSandboxClock(bob.key))
  await check('getSandboxClock', 200, undefined, requests.getSandboxClock(bob.key))
  await check('putSandboxClock', 409, 'sandbox_clock_behind', move('2099-03-31T21:00:00Z'))
  await db
    .updateTable('sandboxClocks')
    .set({ leaseToken: UNKNOWN_ID, leasedUntil: new Date(Date.now() + 3_600_000) })
    .execute()
  await check('deleteSandboxClock', 200, undefined, requests.deleteSandboxClock(bob.key))
  await check('putSandboxClock', 409, 'sandbox_clock_ending', move())
  const member = await user()
  await organization(member)
  await check('putSandboxClock', 409, 'sandbox_only_2', move(undefined, member))
}

/** A service whose statements fail as those of a database without space. */
async function checkFullDatabase(t: Test, { db, ada, connecting }: Scene, requests: Requests) {
  const refuse = () => Promise.reject(Object.assign(new Error('No space left on device'), { code: '53100' }))
  const full = new Proxy(db, {
    get: (target, key) => (key === 'executeQuery' ? refuse : Reflect.get(target, key, target)),
  })
  servers.set(full, servers.get(db)!)
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
    await check(operationId, 503, 'database_full', send(ada.key, app))
  }
}

/** Services whose storage is away or full. */
async function checkStorage(t: Test, scene: Scene, requests: Requests) {
  const { db, ada, mediaDir } = scene
  for (const [example, isFull] of [
    ['storage_unavailable', false],
    ['storage_full', true],
  ] as const) {
    const refuse = () => Promise.reject(new StorageError('for this test', { isFull }))
    const storage = { put: refuse, remove: refuse, size: refuse, read: refuse, serve: refuse, check: refuse }
    const media = { ...mediaOptions(mediaDir), storage, fetchFile: async () => Readable.from([await jpeg(70)]) }
    const app = await buildApp({ db, logger: recorded(false), corsOrigins: [], media, ...networkOptions(db) })
    t.teardown(() => app.close())
    await check('uploadMedia', 503, example, upload(app, ada, [['file', await jpeg(70)]]))
    await check('importMedia', 503, example, requests.importMedia(ada.key, app))
    if (!isFull) {
      await check('getMediaContent', 503, example, requests.getMediaContent(ada.key, app))
      const known = { fileName: 'a', sha256: hashOf('sha256', scene.image) }
      await check('createUpload', 503, example, call(app, ada.key, 'POST', '/media/uploads', known))
    }
    await check('getMediaPreview', 503, example, requests.getMediaPreview(ada.key, app))
    await checkRenditions(scene, app, example)
  }
}

async function checkKeys({ app, db, ada, keyId }: Scene, requests: Requests) {
  await check('getCurrentKey', 200, undefined, requests.getCurrentKey(ada.key))
  await check('createKey', 201, undefined, requests.createKey(ada.key))
  await check('listKeys', 200, undefined, requests.listKeys(ada.key))
  await check('getKey', 200, undefined, requests.getKey(ada.key))
  const path = `/keys/${keyId}`
  await check('createKey', 400, 'missingScopes', ada.call('POST', '/keys', { name: 'a' }))
  const ended = { ...READER, expiresAt: '2001-01-01T00:00:00Z' }
  await check('createKey', 400, 'expiredFromTheStart', ada.call('POST', '/keys', ended))
  await check('updateKey', 400, 'wrongName', ada.call('PATCH', path, { name: 5 }))
  await check('rotateKey', 400, 'wrongOverlap', ada.call('POST', `${path}/rotate`, { overlapSeconds: '1' }))

  const create = (scopes: Scope[] | null, expiresAt: Date | null = null) =>
    createKey(db, { userId: ada.id, name: null, expiresAt, scopes })
  const manager = await create(['keys:manage', 'posts:read'], new Date('2999-01-01T00:00:00Z'))
  const asManager = (...[method, path, body]: Parameters<Person['call']>) => call(app, manager.key, method, path, body)
  const give = (body: object) => asManager('POST', '/keys', { name: 'a', scopes: ['posts:read'], ...body })
  await check('createKey', 403, 'api_key_too_wide', give({ scopes: ['media:write'] }))
  await check('createKey', 403, 'api_key_too_wide_2', give({ expiresAt: '2999-01-01T00:00:01Z' }))
  const asAdmin = { name: 'a', scopes: ['admin'] }
  await check('createKey', 403, 'api_key_too_wide_3', ada.call('POST', '/keys', asAdmin))
  await check('createKey', 403, 'no_access', ada.call('POST', '/keys', { ...READER, accountIds: [UNKNOWN_ID] }))
  const both = { name: 'a', scopes: ['keys:manage'], accountIds: [ACCOUNT_EXAMPLES[0].id] }
  await check('createKey', 400, 'scopeWithAccounts', ada.call('POST', '/keys', both))
  const [writer, reader] = [await create(['media:write']), await create(['posts:read'])]
  const rotate = (id: string) => asManager('POST', `/keys/${id}/rotate`, {})
  await check('rotateKey', 403, 'api_key_too_wide', rotate((await create(null)).id))
  await check('rotateKey', 403, 'api_key_too_wide_2', rotate(writer.id))
  await check('rotateKey', 403, 'api_key_too_wide_3', rotate(reader.id))
  await check('updateKey', 403, 'api_key_too_wide', asManager('PATCH', `/keys/${writer.id}`, {}))
  await check('revokeKey', 403, 'api_key_too_wide', asManager('DELETE', `/keys/${writer.id}`))
  const narrow = (body: object) => ada.call('PATCH', `/keys/${manager.id}`, body)
  await check('updateKey', 200, undefined, narrow({ scopes: ['keys:manage'] }))
  await check('updateKey', 403, 'api_key_too_wide_2', narrow({ scopes: ['media:write'] }))
  await check('updateKey', 403, 'api_key_too_wide_3', narrow({ expiresAt: '2999-01-01T00:00:01Z' }))
  const listed = await ada.call('POST', '/keys', { ...READER, accountIds: [ACCOUNT_EXAMPLES[0].id] })
  const widen = ada.call('PATCH', `/keys/${listed.body.id}`, { accountIds: [UNKNOWN_ID] })
  await check('updateKey', 403, 'api_key_too_wide_4', widen)
  const expired = await create(['posts:read'], YESTERDAY)
  await check('rotateKey', 409, 'api_key_not_rotatable', ada.call('POST', `/keys/${expired.id}/rotate`, {}))
  await check('rotateKey', 201, undefined, requests.rotateKey(ada.key))
  await check('rotateKey', 409, 'api_key_rotated', requests.rotateKey(ada.key))

  await check('listConnectedApps', 200, undefined, requests.listConnectedApps(ada.key))
  await check('createApprovalCode', 201, undefined, requests.createApprovalCode(ada.key))
  await check('disconnectApp', 404, 'connected_app_not_found', requests.disconnectApp(ada.key))
  const anApp = { clientId: 'app', redirectUri: 'https://app.example/', resource: 'https://postroom.example/mcp' }
  await db
    .insertInto('oauthGrants')
    .values([writer, reader].map(({ id }) => ({ ...anApp, keyId: id })))
    .execute()
  const ofApp = ada.call('POST', `/keys/${reader.id}/rotate`, {})
  await check('rotateKey', 409, 'api_key_not_rotatable_2', ofApp)
  await check('disconnectApp', 403, 'api_key_too_wide', asManager('DELETE', `/connected-apps/${writer.id}`))
  await check('disconnectApp', 200, undefined, ada.call('DELETE', `/connected-apps/${reader.id}`))
}

async function checkTenants({ app, db, ada, user, organization, ...ids }: Scene, requests: Requests) {
  for (const operationId of ['listUsers', 'getUser', 'listUserKeys'] as const) {
    await check(operationId, 200, undefined, requests[operationId](ada.key))
  }
  await check('createUser', 201, undefined, requests.createUser(ada.key))
  await check('createUserKey', 201, undefined, requests.createUserKey(ada.key))
  for (const operationId of ['listOrganizations', 'getOrganization', 'listMembers', 'putMember'] as const) {
    await check(operationId, 200, undefined, requests[operationId](ada.key))
  }
  await check('createOrganization', 201, undefined, requests.createOrganization(ada.key))

  const path = `/users/${ids.tenantId}`
  const members = `/organizations/${ids.organizationId}/members`
  await check('updateUser', 400, 'wrongName', ada.call('PATCH', `/users/${ada.id}`, { name: 5 }))
  for (const [operationId, method, at, example] of [
    ['createUser', 'POST', '/users', 'missingName'],
    ['createUserKey', 'POST', `${path}/keys`, 'missingScopes'],
    ['createOrganization', 'POST', '/organizations', 'missingName'],
    ['putMember', 'PUT', `${members}/${ids.tenantId}`, 'missingRole'],
  ] as const) {
    await check(operationId, 400, example, ada.call(method, at, operationId === 'createUserKey' ? { name: 'a' } : {}))
  }
  const asAdmin = { name: 'a', scopes: ['admin'] }
  await check('createUserKey', 403, 'api_key_too_wide', ada.call('POST', `${path}/keys`, asAdmin))
  const scopes = ['admin' as const]
  const common = { db, logger: recorded(false), corsOrigins: [], media: mediaOptions('.') }
  const withoutKeyring = await buildApp({ ...common, ...networkOptions(db), keyring: undefined })
  const withOtherKeyring = await buildApp({ ...common, ...networkOptions(db) })
  const again = (of: typeof app, key: string) =>
    call(of, ada.key, 'POST', `${path}/keys`, { name: 'a', scopes: ['posts:read'] }, { 'idempotency-key': key })
  await check('createUserKey', 201, undefined, again(withoutKeyring, 'notKept'))
  await check('createUserKey', 409, 'secret_not_kept', again(withoutKeyring, 'notKept'))
  await check('createUserKey', 201, undefined, again(app, 'kept'))
  await check('createUserKey', 503, 'credentials_key_mismatch', again(withOtherKeyring, 'kept'))
  await Promise.all([withoutKeyring.close(), withOtherKeyring.close()])
  const expiresAt = new Date('2999-01-01T00:00:00Z')
  const { key: expiring } = await createKey(db, { userId: ada.id, name: null, expiresAt, scopes })
  const outliving = { name: 'a', scopes: ['posts:read'], expiresAt: '2999-01-01T00:00:01Z' }
  const noAccount = ada.call('POST', `${path}/keys`, { ...READER, accountIds: [UNKNOWN_ID] })
  await check('createUserKey', 403, 'no_access', noAccount)
  const ended = ada.call('POST', `${path}/keys`, { ...READER, expiresAt: '2001-01-01T00:00:00Z' })
  await check('createUserKey', 400, 'expiredFromTheStart', ended)
  await check('createUserKey', 403, 'api_key_too_wide_2', call(app, expiring, 'POST', `${path}/keys`, outliving))

  const role = { role: 'member' }
  await check('deleteMember', 404, 'member_not_found', ada.call('DELETE', `${members}/${ada.id}`))
  await check('putMember', 404, 'user_not_found', ada.call('PUT', `${members}/${UNKNOWN_ID}`, role))
  await check('deleteUser', 409, 'own_user', ada.call('DELETE', `/users/${ada.id}`))
  const sharing = await user()
  const used = await organization(sharing)
  await sharing.account('x', { organizationId: used })
  await check('deleteOrganization', 409, 'organization_in_use', ada.call('DELETE', `/organizations/${used}`))
}

const KEY = { name: null, expiresAt: null }

/** Keys with every scope but the one of the operation. */
async function checkScopes({ app, db, ada, account }: Scene, requests: Requests) {
  const create = async (scopes: Scope[]) =>
    (await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes })).key
  for (const operation of operations.values()) {
    const { operationId, 'x-required-scope': required, 'x-takes-account-lists': takesLists } = operation
    if (!required) continue
    const others = SCOPE_NAMES.filter((scope) => scope !== required && !IMPLIED[scope]?.includes(required))
    const send = requests[operationId as keyof Requests]
    await check(operationId, 403, 'insufficient_scope', send(await create(others)))
    if (takesLists) continue
    const { key } = await createKey(db, { ...KEY, userId: ada.id, scopes: [required], accountIds: [account] })
    await check(operationId, 403, 'account_list', send(key))
  }
  const limited = await createKey(db, {
    ...KEY,
    userId: ada.id,
    scopes: ['posts:read', 'media:read'],
    accountIds: [account],
  })
  const ofOrganization = call(app, limited.key, 'GET', `/media?organizationId=${UNKNOWN_ID}`)
  await check('listMedia', 403, 'account_list', ofOrganization)
  const reader = await create(['posts:read'])
  await check('listPosts', 403, 'insufficient_scope_2', call(app, reader, 'GET', '/posts?include=media'))
  const writer = await create(['posts:write'])
  const scheduled = { accountIds: [ACCOUNT_EXAMPLES[0].id], caption: 'hi', scheduledAt: '2999-01-01T00:00:00Z' }
  const { body: post } = await ada.call('POST', '/posts', scheduled)
  const asWriter = (...[method, path, body]: Parameters<Person['call']>) => call(app, writer, method, path, body)
  await check('createPost', 403, 'insufficient_scope_2', asWriter('POST', '/posts', scheduled))
  const batch = { posts: [scheduled] }
  await check('createPosts', 403, 'insufficient_scope_2', asWriter('POST', '/posts/batch', batch))
  await check('deletePost', 403, 'insufficient_scope_2', asWriter('DELETE', `/posts/${post.id}`))
  await check('updatePost', 403, 'insufficient_scope_2', asWriter('PATCH', `/posts/${post.id}`, {}))
  const moved = { ids: [post.id], set: { scheduledAt: '2999-01-02T00:00:00Z' } }
  await check('updatePosts', 403, 'insufficient_scope_2', asWriter('PATCH', '/posts/batch', moved))
  const drafts = { filters: { status: ['draft'] } }
  await check('deletePosts', 403, 'insufficient_scope_2', asWriter('POST', '/posts/delete', drafts))
  const connector = await create(['accounts:connect'])
  const changed = call(app, connector, 'PATCH', `/accounts/${account}`, { defaultFields: null })
  await check('updateAccount', 403, 'insufficient_scope_2', changed)
}

/** Keys that may not decide about a delivery that needs a file. */
async function checkFileOfDelivery({ app, db, ada }: Scene) {
  const [account, other, file] = [await ada.account('x'), await ada.account('x'), await ada.media()]
  const { body: post } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'hi', mediaIds: [file] })
  await db.updateTable('posts').set({ status: 'published' }).where('id', '=', post.id).execute()
  await db.updateTable('postTargets').set({ state: 'failed' }).where('postId', '=', post.id).execute()
  const { body: out } = await ada.call('POST', '/posts', { accountIds: [other], caption: 'hi', mediaIds: [file] })
  await db.updateTable('posts').set({ status: 'published' }).where('id', '=', out.id).execute()
  await db.updateTable('postTargets').set({ state: 'published' }).where('postId', '=', out.id).execute()
  const writer = await createKey(db, { ...KEY, userId: ada.id, scopes: ['media:write'] })
  const limited = await createKey(db, { ...KEY, userId: ada.id, accountIds: [other] })
  for (const [{ key }, example] of [
    [writer, 'insufficient_scope_2'],
    [limited, 'media_used_elsewhere_2'],
  ] as const) {
    await check('updateMedia', 403, example, call(app, key, 'PATCH', `/media/${file}`, { altText: 'a' }))
    await check('deleteMedia', 403, example, call(app, key, 'DELETE', `/media/${file}`))
  }
}

/** A service whose limits are used up. */
async function checkRateLimits(t: Test, { db, ada }: Scene, requests: Requests) {
  const options = { logger: recorded(false), media: mediaOptions('.'), corsOrigins: [] }
  const limits = { rateLimits: { all: 1, write: 1 }, trustedProxies: ['127.0.0.1'] }
  const app = await buildApp({ db, ...options, ...limits, ...networkOptions(db) })
  t.teardown(() => app.close())
  const now = performance.now()
  const clock = t.intercept(performance, 'now', { value: () => now })
  await requests.getCurrentKey(ada.key, app)
  for (let count = 0; count < 20; count++) await requests.getCurrentKey('pr_unknown', app)
  for (const [operationId, send] of Object.entries(requests)) {
    await check(operationId, 429, 'rate_limited', send(ada.key, app))
    await check(operationId, 429, 'too_many_failed_keys', send('pr_unknown', app))
  }
  clock.restore()
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
    await check(operationId, 503, 'schema_outdated', send(ada.key, unmigrated))
    await check(operationId, 401, 'missing_api_key', send())
    await check(operationId, 401, 'invalid_api_key', send('pr_unknown'))
    await check(operationId, 401, 'expired_api_key', send(expired))
    await check(operationId, 503, 'database_unavailable', send(ada.key, withoutDatabase))
  }
  await checkFullDatabase(t, scene, requests)
  await check('deletePost', 200, 'deleted', requests.deletePost(ada.key))
  await check('disconnectAccount', 200, 'disconnected', requests.disconnectAccount(ada.key))
  await check('deleteConnection', 200, 'deleted', requests.deleteConnection(ada.key))
  for (const [operationId, example] of [
    ['deleteMember', 'removed'],
    ['deleteOrganization', 'deleted'],
  ] as const) {
    await check(operationId, 200, example, requests[operationId](ada.key))
  }
  const leaving = await scene.user()
  const { id: key } = await createKey(db, { userId: leaving.id, name: null, expiresAt: null })
  await check('revokeUserKey', 200, 'revoked', ada.call('DELETE', `/users/${leaving.id}/keys/${key}`))
  await check('deleteUser', 202, undefined, ada.call('DELETE', `/users/${leaving.id}`))
  const isGone = async () => (await ada.call('GET', `/users/${leaving.id}`)).status === 404
  await until('the user is deleted', isGone)
  const { id: revocable } = await create(null)
  await check('revokeKey', 200, 'revoked', ada.call('DELETE', `/keys/${revocable}`))

  // The following breaks operations on keys only.
  await sql`alter table api_keys add constraint never_revoked check (revoked_at is null) not valid`.execute(db)
  await sql`alter table api_keys rename column name to name_away`.execute(db)
  const people = ['users', 'organizations', 'memberships']
  const others = [
    'posts',
    'accounts',
    'media',
    'loose_files',
    'post_targets',
    'connections',
    'oauth_apps',
    'oauth_approvals',
    'events',
    'webhooks',
    'sandbox_clocks',
  ]
  for (const table of [...people, ...others]) {
    await sql`alter table ${sql.table(table)} rename to ${sql.table(`${table}_away`)}`.execute(db)
  }
  for (const [operationId, send] of Object.entries(requests)) {
    if (NOT_STORED.some((name) => name === operationId)) continue
    await check(operationId, 500, 'internal_error', send(ada.key))
  }
  await sql`alter table api_keys rename to api_keys_away`.execute(db)
  for (const [operationId, send] of Object.entries(requests)) {
    await check(operationId, 503, 'auth_not_initialized', send(uncached))
  }
}

t.test('each response matches its schema, and each error matches its example to the byte', async (t) => {
  const scene = await createScene(t)
  const requests = requestsOf(scene)
  try {
    await checkDerived(scene, requests)
    await checkAccounts(t, scene, requests)
    await checkSchedules(scene, requests)
    await checkBudgets(scene, requests)
    await checkQueues(scene)
    await checkPlatforms(t, scene, requests)
    await checkFieldOptions(t, scene, requests)
    await checkConnections(t, scene, requests)
    await checkApps(t, scene, requests)
    await checkPosts(scene, requests)
    await checkDeliveries(scene, requests)
    await checkPresence(t, scene)
    await checkRemoving(scene, checkConditions)
    await checkEditing(scene, checkConditions)
    await checkMedia(scene, requests)
    await checkSandbox(t, scene, requests)
    await checkScopes(scene, requests)
    await checkRateLimits(t, scene, requests)
    await checkKeys(scene, requests)
    await checkWebhooks(t, scene, requests)
    await checkTenants(scene, requests)
    await checkStorage(t, scene, requests)
    await checkCommonErrors(t, scene, requests)
  } finally {
    // A request that throws may be the consequence of one of these.
    t.strictSame(problems, [])
  }

  // The tests of the upload check these on a socket.
  for (const operationId of ['uploadMedia', 'importMedia']) {
    seen.add(`${operationId} 413 file_too_large`)
    // test/media/quota.test.ts and share.test.ts check these.
    seen.add(`${operationId} 409 media_quota`)
    seen.add(`${operationId} 429 too_many_uploads`)
  }
  seen.add('uploadMedia 408 request_timeout')
  // test/media/uploads.address.test.ts checks these.
  for (const error of ['413 file_too_large', '409 media_quota', '409 too_many_pending_uploads']) {
    seen.add(`createUpload ${error}`)
  }
  // test/faults/bodies/ and test/auth/key-limit.test.ts check these.
  for (const { operationId, requestBody } of operations.values()) {
    if (requestBody?.content['application/json']) seen.add(`${operationId} 503 service_busy`)
  }
  for (const operationId of ['createKey', 'rotateKey', 'createUserKey']) seen.add(`${operationId} 409 api_key_limit`)
  for (const title of CHECKED_ELSEWHERE) seen.add(title)
  for (const operationId of ['createPost', 'updatePost']) {
    // test/posts/queue-front.test.ts checks these: they need 500 posts.
    seen.add(`${operationId} 409 queue_full_3`)
  }
  // The same code rejects this.
  seen.add('rearrangeSchedule 409 queue_full_2')
  // test/media/alt-text-rights.test.ts checks this: it needs 2,000 posts.
  seen.add('updateMedia 409 media_in_too_many_posts')
  // test/events checks these: the first has a cursor, and the second needs 100 requests that wait.
  seen.add('listEvents 410 expired')
  seen.add('listEvents 429 too_many_waiting')
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
