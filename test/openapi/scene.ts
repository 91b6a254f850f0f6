import type { Test } from 'tap'
import { insertAccount } from '../../db/queries/accounts.ts'
import { ACCOUNT_EXAMPLES } from '../../schemas/account.ts'
import { PutApp } from '../../schemas/app.ts'
import { CONNECT_EXAMPLES } from '../../schemas/connect.ts'
import { createNetworks, type Networks } from '../../src/platforms/adapters.ts'
import { call, createWorld, type Reply } from '../helpers/app.ts'
import { json, operationsOf, readDocument, validatorOf } from '../helpers/document.ts'
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
    networks: { ...createNetworks({} as never), x: oauthNetwork(oauth) } as Networks,
    oauthApps: { x: { clientId: 'a', clientSecret: 'b' } },
    returnUrls: ['https://app.example.com'],
  }
  const world = await createWorld(t, { fetch: stubNetworks, ...connecting })
  const { app, db, user } = world
  const ada = await user()
  const image = await jpeg()
  const { body: file } = await upload(app, ada, [['file', image]])
  const account = await ada.account('x', { username: 'ada' })
  await insertAccount(db, { ...ACCOUNT_EXAMPLES[0], userId: ada.id, organizationId: null })
  const { body: post } = await ada.call('POST', '/posts', { accountIds: [account] })
  const { body: connection } = await ada.call('POST', '/connections', { platform: 'x' })
  const ids = { fileId: file.id as string, postId: post.id as string, connectionId: connection.id as string }
  return { ...world, ada, image, account, oauth, connecting, ...ids }
}
export type Scene = Awaited<ReturnType<typeof createScene>>

/** One request of each operation, to any instance of the service and with any key or none. */
export function requestsOf({ app, account, fileId, postId, connectionId }: Scene) {
  const send =
    (...[method, path, body]: [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object]) =>
    (key?: string, instance = app) =>
      call(instance, key, method, path, body)
  const delivery = `/posts/${postId}/deliveries/${account}`
  return {
    createPost: send('POST', '/posts', { accountIds: [account] }),
    listPosts: send('GET', '/posts'),
    deletePost: send('DELETE', `/posts/${postId}`),
    getPost: send('GET', `/posts/${postId}`),
    publishPost: send('POST', `/posts/${postId}/publish`),
    retryDelivery: send('POST', `${delivery}/retry`),
    resolveDelivery: send('POST', `${delivery}/resolve`, { outcome: 'not_published' }),
    listAccounts: send('GET', '/accounts'),
    connectAccount: send('POST', '/accounts', CONNECT_EXAMPLES.telegram as object),
    disconnectAccount: send('DELETE', `/accounts/${ACCOUNT_EXAMPLES[0].id}`),
    createConnection: send('POST', '/connections', { platform: 'x' }),
    getConnection: send('GET', `/connections/${connectionId}`),
    chooseAccounts: send('POST', `/connections/${connectionId}/choose`, { ids: ['1'] }),
    completeConnection: send('POST', `/connections/${connectionId}/complete`, { callbackUrl: CALLBACK }),
    deleteConnection: send('DELETE', `/connections/${connectionId}`),
    listApps: send('GET', '/apps'),
    putApp: send('PUT', '/apps/x', PutApp.examples[0]),
    deleteApp: send('DELETE', '/apps/x'),
    uploadMedia: async (key?: string, instance = app) => upload(instance, { key }, [['file', await jpeg(50)]]),
    importMedia: send('POST', '/media/import', { url: 'http://127.0.0.1/a' }),
    listMedia: send('GET', '/media'),
    getMedia: send('GET', `/media/${fileId}`),
    getMediaContent: send('GET', `/media/${fileId}/content`),
    updateMedia: send('PATCH', `/media/${fileId}`, { altText: 'A lighthouse at dusk.' }),
    deleteMedia: send('DELETE', `/media/${fileId}`),
    listSandboxCalls: send('GET', '/sandbox/calls'),
  }
}
export type Requests = ReturnType<typeof requestsOf>

/** The examples that a response was compared with. */
export const seen = new Set<string>()

/** Compares a response with an example of the document, or with its schema alone. */
export async function check(
  t: Test,
  operationId: string,
  status: number,
  example: string | undefined,
  reply: Promise<Reply>,
) {
  const { status: actual, body } = await reply
  const title = [operationId, status, example].filter(Boolean).join(' ')
  t.equal(actual, status, title)
  const { schema, examples } = json(operations.get(operationId)!.responses[status]!)
  t.equal(problemWith(schema, body), '', title)
  if (example === undefined) return
  t.strictSame(body, examples[example]?.value, title)
  seen.add(title)
}
