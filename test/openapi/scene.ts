import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { insertAccount } from '../../db/queries/accounts.ts'
import { ACCOUNT_EXAMPLES } from '../../schemas/account.ts'
import { CONNECT_EXAMPLES } from '../../schemas/connect.ts'
import type * as allOperations from '../../schemas/operations/index.ts'
import { SCHEDULE_EXAMPLES } from '../../schemas/schedule.ts'
import { SCOPE_NAMES } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import type { Networks } from '../../src/platforms/adapters.ts'
import { idOf } from '../auth/sweep-requests.ts'
import { call, createWorld, type Method, type Person, type Reply } from '../helpers/app.ts'
import { json, operationsOf, readDocument, validatorOf } from '../helpers/document.ts'
import { numberEvents } from '../helpers/events.ts'
import { networks } from '../helpers/networks.ts'
import { collectProblems } from '../helpers/problems.ts'
import { oauthNetwork, scriptedOAuth } from '../helpers/scripted-oauth.ts'
import { stubNetworks } from '../helpers/stub-networks.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const document = readDocument()
const problemWith = validatorOf(document)
export const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]))

/** The callback of no connection. */
export const CALLBACK = 'https://postroom.example/connect/callback?state=a&code=b'

export const UNKNOWN_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

/** A user with the account, the post and the file that the requests below name. */
export async function createScene(t: Test) {
  const oauth = scriptedOAuth()
  const connecting = {
    networks: { ...networks, x: oauthNetwork(oauth) } as Networks,
    oauthApps: { x: { clientId: 'a', clientSecret: 'b' } },
    returnUrls: ['https://app.example.com'],
    webhookUrls: {
      allowsHttp: false,
      isReachable: async ({ hostname }: { hostname: string }) => hostname !== '127.0.0.1',
    },
  }
  const world = await createWorld(t, { fetch: stubNetworks, ...connecting })
  const { app, db, user } = world
  const person = await user()
  // Names every scope, because the default lacks `admin`.
  const { key } = await createKey(db, { userId: person.id, name: null, expiresAt: null, scopes: SCOPE_NAMES })
  const ada: Person = { ...person, key, call: (...request) => call(app, key, ...request) }
  const image = await jpeg()
  const { body: file } = await upload(app, ada, [['file', image]])
  const account = await ada.account('x', { username: 'ada' })
  const sandboxAccount = await ada.account('sandbox', { credentials: { username: 'ada' } })
  await insertAccount(db, { ...ACCOUNT_EXAMPLES[0], userId: ada.id, organizationId: null })
  await ada.call('PUT', `/accounts/${account}/schedule`, SCHEDULE_EXAMPLES.weekdays)
  const { body: post } = await ada.call('POST', '/posts', { accountIds: [account] })
  const { body: connection } = await ada.call('POST', '/connections', { platform: 'x' })
  const { id: keyId } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: ['posts:read'] })
  const { body: webhook } = await ada.call('POST', '/webhooks', { url: 'https://app.example.com/hook' })
  const webhookId = webhook.id as string
  const tenant = await user()
  const { id: tenantKeyId } = await createKey(db, { userId: tenant.id, name: null, expiresAt: null })
  const organizationId = await world.organization(tenant)
  await numberEvents(db)
  const eventId = (await ada.call('GET', '/events')).body.data[0].id as string
  const ids = {
    fileId: file.id as string,
    postId: post.id as string,
    connectionId: connection.id as string,
    keyId,
    eventId,
    webhookId,
  }
  const tenantIds = { tenantId: tenant.id, tenantKeyId, organizationId }
  return { ...world, ada, image, account, sandboxAccount, oauth, connecting, ...ids, ...tenantIds }
}
export type Scene = Awaited<ReturnType<typeof createScene>>

type Send = (key?: string, instance?: FastifyInstance) => Promise<Reply>
type All = typeof allOperations
export type Requests = Record<
  { [Name in keyof All]: All[Name] extends { sdk: string } ? Name : never }[keyof All],
  Send
>

/**
 * One request of each operation, to any instance of the service and with any key or none: with the first example of its
 * body, unless it is listed here.
 */
export function requestsOf(scene: Scene): Requests {
  const { app, account, sandboxAccount, fileId, postId, connectionId, keyId, webhookId, tenantId, organizationId } =
    scene
  const send =
    (...[method, path, body]: [method: Method, path: string, body?: object]): Send =>
    (key, instance = app) =>
      call(instance, key, method, path, body)
  const named = {
    account,
    post: postId,
    media: fileId,
    connection: connectionId,
    key: keyId,
    event: scene.eventId,
    webhook: webhookId,
    platform: 'x',
    tenant: tenantId,
    tenantOrganization: organizationId,
    tenantKey: scene.tenantKeyId,
  }
  const delivery = `/posts/${postId}/deliveries/${account}`
  const fromDocument = [...operations.values()].map(({ operationId, method, path, requestBody }) => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => idOf(path, name, named)).replace('/api/v1', '')
    const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {})
    return [operationId, send(method as Method, filled, example?.value as object | undefined)]
  })
  return {
    ...(Object.fromEntries(fromDocument) as Requests),
    createPost: send('POST', '/posts', { accountIds: [account] }),
    validatePost: send('POST', '/posts/validate', { accountIds: [account] }),
    createPosts: send('POST', '/posts/batch', { posts: [{ accountIds: [account] }] }),
    validatePosts: send('POST', '/posts/batch/validate', { posts: [{ accountIds: [account] }] }),
    countPosts: send('GET', '/posts/counts?by=status'),
    updatePost: send('PATCH', `/posts/${postId}`, { caption: 'hi' }),
    updatePosts: send('PATCH', '/posts/batch', { ids: [postId], set: { firstComment: 'hi' } }),
    deletePosts: send('POST', '/posts/delete', { ids: [UNKNOWN_ID] }),
    markDeliveryPublished: send('POST', `${delivery}/mark-published`, {}),
    resolveDelivery: send('POST', `${delivery}/resolve`, { outcome: 'not_published' }),
    listFieldOptions: send('GET', `/accounts/${sandboxAccount}/options/boardId`),
    connectAccount: send('POST', '/accounts', CONNECT_EXAMPLES.telegram as object),
    disconnectAccount: send('DELETE', `/accounts/${ACCOUNT_EXAMPLES[0].id}`),
    chooseAccounts: send('POST', `/connections/${connectionId}/choose`, { ids: ['1'] }),
    completeConnection: send('POST', `/connections/${connectionId}/complete`, { callbackUrl: CALLBACK }),
    uploadMedia: async (key?: string, instance = app) => upload(instance, { key }, [['file', await jpeg(50)]]),
    createUpload: send('POST', '/media/uploads', { fileName: 'a.mp4' }),
    importMedia: send('POST', '/media/import', { url: 'http://127.0.0.1/a' }),
    updateKey: send('PATCH', `/keys/${keyId}`, { name: 'a' }),
    createWebhook: send('POST', '/webhooks', { url: 'https://app.example.com/hook' }),
    updateWebhook: send('PATCH', `/webhooks/${webhookId}`, { payload: 'thin' }),
    redeliverEvents: send('POST', `/webhooks/${webhookId}/redeliver`, { from: '2026-11-21T03:00:00Z' }),
    createUser: send('POST', '/users', { name: 'Lighthouse Coffee' }),
    putMember: send('PUT', `/organizations/${organizationId}/members/${tenantId}`, { role: 'admin' }),
  }
}

/** The examples that a response was compared with. */
export const seen = new Set<string>()

const { problems, check: compare } = collectProblems()

/** The problems of the responses so far. */
export { problems }

/** Compares a response with an example of the document, or with its schema alone. */
export async function check(operationId: string, status: number, example: string | undefined, reply: Promise<Reply>) {
  const { status: actual, body, headers } = await reply
  const title = [operationId, status, example].filter(Boolean).join(' ')
  compare(actual, status, `${title}: status`)
  const { schema, examples } = json(operations.get(operationId)!.responses[status]!)
  compare(problemWith(schema, body), '', `${title}: the schema`)
  if (example === undefined) return
  compare([body, headers['x-error-code']], [examples[example]?.value, examples[example]?.summary], title)
  seen.add(title)
}
