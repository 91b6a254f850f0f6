import t from 'tap'
import { SCOPE_NAMES } from '../../schemas/scopes.ts'
import { createKey } from '../../src/auth/create-key.ts'
import { seedDemo } from '../../src/runtime/demo.ts'
import { createWorld } from '../helpers/app.ts'
import { json, type Operation, operationsOf, readDocument } from '../helpers/document.ts'

/** Status and code of what the demo data do not have, or do not allow. */
const FAILURES: Record<string, [status: number, code: string]> = {
  // No network and no public address answers in this test.
  connectAccount: [502, 'platform_unavailable'],
  importMedia: [400, 'url_not_public'],
  // The demo has no app of a network, and thus no connection.
  createConnection: [400, 'app_missing'],
  deleteApp: [404, 'app_not_found'],
  getConnection: [404, 'connection_not_found'],
  deleteConnection: [404, 'connection_not_found'],
  chooseAccounts: [404, 'connection_not_found'],
  completeConnection: [404, 'connection_not_found'],
  // Its post waits for its time.
  retryDelivery: [409, 'delivery_not_due'],
  resolveDelivery: [409, 'delivery_not_unconfirmed'],
  // Its file has no bytes, and that post needs it.
  getMediaContent: [404, 'media_without_content'],
  getMediaPreview: [404, 'media_without_content'],
  deleteMedia: [409, 'media_in_use'],
  // A worker gives events their ids.
  getEvent: [404, 'event_not_found'],
  redeliverEvents: [404, 'webhook_event_not_found'],
  // Its webhook has one secret, and is disabled.
  deletePreviousWebhookSecret: [404, 'webhook_secret_not_found'],
  testWebhook: [409, 'webhook_disabled'],
  // The key acts for the user, and the organisation has an account.
  deleteUser: [409, 'own_user'],
  deleteOrganization: [409, 'organization_in_use'],
}

/** The request that Swagger UI sends if a reader changes nothing. */
function prefilled({ path, method, parameters = [], requestBody }: Operation) {
  const given = parameters.filter(({ example }) => example !== undefined)
  const query = given
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, example }): [string, string] => [name, `${example}`])
  const filled = given
    .filter((parameter) => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, `${example}`), path)
  const examples = requestBody?.content['application/json'] && json(requestBody).examples
  return {
    method: method as 'POST',
    url: `${filled}?${new URLSearchParams(query)}`,
    ...(examples && { payload: Object.values(examples)[0]!.value as object }),
  }
}

const document = readDocument()
const operations = operationsOf(document).filter(({ operationId }) => operationId !== 'uploadMedia')

for (const operation of operations) {
  t.test(`the example of ${operation.operationId} works on the demo data`, async (t) => {
    const { app, db, keyring } = await createWorld(t)
    const { userId } = (await seedDemo(db, new Date(), keyring))!
    const isAdministration = operation['x-required-scope'] === 'admin'
    const scopes = isAdministration ? { scopes: SCOPE_NAMES } : {}
    const { key } = await createKey(db, { userId, name: null, expiresAt: null, ...scopes })
    const headers = { authorization: `Bearer ${key}` }
    const { statusCode, headers: received, payload } = await app.inject({ ...prefilled(operation), headers })
    const failure = FAILURES[operation.operationId]
    if (failure) t.strictSame([statusCode, received['x-error-code']], failure, payload)
    else t.ok(statusCode < 300, `${statusCode} ${payload}`)
  })
}
