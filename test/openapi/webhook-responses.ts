import type { Test } from 'tap'
import { ACCOUNT_EXAMPLES } from '../../schemas/account.ts'
import { EVENT_ID } from '../../schemas/event.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { WEBHOOKS_MAX } from '../../schemas/webhook.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { buildApp } from '../../src/run/app.ts'
import { call, mediaOptions, networkOptions, type Person } from '../helpers/app.ts'
import { recorded } from '../helpers/log-record.ts'
import { check, type Requests, type Scene, UNKNOWN_ID } from './scene.ts'

const HOOK = { url: 'https://app.example.com/hook' }

/** Every response of the operations on webhooks. */
export async function checkWebhooks(t: Test, scene: Scene, requests: Requests) {
  const { ada } = scene
  for (const operationId of ['listWebhooks', 'getWebhook', 'listWebhookDeliveries', 'updateWebhook'] as const) {
    await check(operationId, 200, undefined, requests[operationId](ada.key))
  }
  await check('createWebhook', 201, undefined, requests.createWebhook(ada.key))
  await check('testWebhook', 202, undefined, requests.testWebhook(ada.key))
  await check('redeliverEvents', 202, undefined, requests.redeliverEvents(ada.key))
  await check('rotateWebhookSecret', 200, undefined, requests.rotateWebhookSecret(ada.key))
  await check('rotateWebhookSecret', 409, 'webhook_secret_rotated', requests.rotateWebhookSecret(ada.key))
  await check('deletePreviousWebhookSecret', 200, undefined, requests.deletePreviousWebhookSecret(ada.key))
  const withoutPrevious = requests.deletePreviousWebhookSecret(ada.key)
  await check('deletePreviousWebhookSecret', 404, 'webhook_secret_not_found', withoutPrevious)
  await checkInput(scene)
  await checkRights(scene)
  await checkKeyrings(t, scene, requests)
  const [other] = (await ada.call('GET', '/webhooks')).body.data
  await check('deleteWebhook', 200, undefined, ada.call('DELETE', `/webhooks/${other.id}`))
}

async function checkInput({ ada, webhookId }: Scene) {
  const path = `/webhooks/${webhookId}`
  const urls = {
    notHttps: 'http://app.example.com',
    urlWithPassword: 'https://ada:secret@app.example.com',
    url_not_public: 'https://127.0.0.1',
  }
  for (const [example, url] of Object.entries(urls)) {
    await check('createWebhook', 400, example, ada.call('POST', '/webhooks', { url }))
    await check('updateWebhook', 400, example, ada.call('PATCH', path, { url }))
  }
  const rotate = (body: object) => ada.call('POST', `${path}/rotate-secret`, body)
  await check('rotateWebhookSecret', 400, 'wrongOverlap', rotate({ overlapSeconds: '1' }))
  await check('testWebhook', 400, 'unknownKey', ada.call('POST', `${path}/test`, { event: 'post.created' }))
  const redeliver = (body: object) => ada.call('POST', `${path}/redeliver`, body)
  const both = { eventIds: [EVENT_ID], from: '2026-11-21T03:00:00Z' }
  await check('redeliverEvents', 400, 'bothForms', redeliver(both))
  await check('redeliverEvents', 404, 'webhook_event_not_found', redeliver({ eventIds: [EVENT_ID] }))
  await ada.call('PATCH', path, { state: 'disabled' })
  await check('testWebhook', 409, 'webhook_disabled', ada.call('POST', `${path}/test`))
  await ada.call('PATCH', path, { state: 'active' })
}

async function checkRights({ app, db, ada, webhookId }: Scene) {
  const scopes: Scope[] = ['webhooks:manage']
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes })
  const asManager: Person['call'] = (...request) => call(app, key, ...request)
  const path = `/webhooks/${webhookId}`
  await ada.call('PATCH', path, { types: ['key.created'] })
  await check(
    ...(['createWebhook', 403, 'webhook_too_wide'] as const),
    asManager('POST', '/webhooks', { ...HOOK, types: ['key.created'] }),
  )
  await check('updateWebhook', 403, 'webhook_too_wide', asManager('PATCH', path, {}))
  await check('rotateWebhookSecret', 403, 'webhook_too_wide', asManager('POST', `${path}/rotate-secret`))
  const previous = asManager('DELETE', `${path}/previous-secret`)
  await check('deletePreviousWebhookSecret', 403, 'webhook_too_wide', previous)
  const accountIds = [ACCOUNT_EXAMPLES[0].id, UNKNOWN_ID]
  await check('createWebhook', 403, 'no_access', ada.call('POST', '/webhooks', { ...HOOK, accountIds }))
  await check('updateWebhook', 403, 'no_access', ada.call('PATCH', path, { accountIds }))
  const forAll = asManager('POST', '/webhooks', { ...HOOK, allUsers: true })
  await check('createWebhook', 403, 'insufficient_scope_2', forAll)
  const admin = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: SCOPE_NAMES })
  const ofUnknown = call(app, admin.key, 'POST', '/webhooks', { ...HOOK, organizationId: UNKNOWN_ID })
  await check('createWebhook', 404, 'organization_not_found', ofUnknown)
  for (let count = 0; count < WEBHOOKS_MAX; count++) await ada.call('POST', '/webhooks', HOOK)
  await check('createWebhook', 409, 'webhook_limit', ada.call('POST', '/webhooks', HOOK))
}

async function checkKeyrings(t: Test, { db, ada }: Scene, requests: Requests) {
  const common = () => ({
    db,
    logger: recorded(false),
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(db),
  })
  const withoutKeyring = await buildApp({ ...common(), keyring: undefined })
  const withOtherKeyring = await buildApp(common())
  t.teardown(() => Promise.all([withoutKeyring.close(), withOtherKeyring.close()]))
  const apps = { credentials_key_missing: withoutKeyring, credentials_key_mismatch: withOtherKeyring }
  for (const [example, app] of Object.entries(apps)) {
    for (const operationId of ['createWebhook', 'rotateWebhookSecret', 'deletePreviousWebhookSecret'] as const) {
      await check(operationId, 503, example, requests[operationId](ada.key, app))
    }
  }
}
