import { OAUTH_PLATFORM } from '../faults/fuzz/caller.ts'
import { IMAGES } from '../faults/fuzz/forms.ts'
import { operations } from '../faults/fuzz/requests.ts'
import { json } from '../helpers/document.ts'
import type { form } from '../helpers/upload.ts'
import { idOf } from './sweep-requests.ts'

/** Ids of the owner's resources. */
export interface Resources {
  organization: string
  /** An account that the organisation shares, and one that it does not. */
  shared: string
  private: string
  draft: string
  published: string
  scheduled: string
  failed: string
  unconfirmed: string
  media: string
  /** Connections that wait for their callback and for a choice. */
  opened: string
  choosing: string
  event: string
  key: string
  webhook: string
}

export interface Request {
  /** Path parameters, in order. */
  ids?: string[]
  query?: Record<string, string>
  body?: object
  parts?: Parameters<typeof form>[0]
}

/**
 * The status that each user gets for one request: the owner of the resources, who is a member of the organisation that
 * shares an account, an admin of it, another member, a former admin, and a stranger.
 */
export interface Row {
  operationId: string
  case?: string
  request(resources: Resources, actor: { own: string; name: string }): Request
  owner: number
  admin: number
  member: number
  former: number
  stranger: number
}

const hiddenFromMembers = { member: 404, former: 404, stranger: 404 }
const hidden = { admin: 404, ...hiddenFromMembers }
/** Statuses for a resource of the organisation. */
const managed = (status: number) => ({ owner: status, admin: status, ...hiddenFromMembers })
const sameForAll = (status: number) => ({
  owner: status,
  admin: status,
  member: status,
  former: status,
  stranger: status,
})
/** Statuses for an operation that only admins may call. */
const adminsOnly = (status: number) => ({ owner: 403, admin: status, member: 403, former: 403, stranger: 403 })

const WRITTEN: Row[] = [
  { operationId: 'getPlatform', case: 'that does not exist', request: () => ({ ids: ['none'] }), ...sameForAll(404) },
  {
    operationId: 'getAccountLimits',
    case: 'shared',
    request: ({ shared }) => ({ ids: [shared] }),
    ...{ owner: 200, admin: 200, member: 200, former: 404, stranger: 404 },
  },
  // Their account has no credentials.
  {
    operationId: 'listFieldOptions',
    case: 'shared',
    request: ({ shared }) => ({ ids: [shared, 'boardId'] }),
    ...{ owner: 409, admin: 409, member: 409, former: 404, stranger: 404 },
  },
  {
    operationId: 'listFieldOptions',
    request: (resources) => ({ ids: [resources.private, 'boardId'] }),
    owner: 409,
    ...hidden,
  },
  { operationId: 'connectAccount', request: (_, { name }) => connect(name), ...sameForAll(201) },
  // Members of an organisation have no clocks.
  {
    operationId: 'putSandboxClock',
    request: () => ({ body: { now: '2099-03-31T22:00:00Z' } }),
    ...{ owner: 409, admin: 409, member: 409, former: 202, stranger: 202 },
  },
  {
    operationId: 'connectAccount',
    case: 'for an organisation',
    request: ({ organization }, { name }) => connect(`${name}-shared`, organization),
    ...adminsOnly(201),
  },
  {
    operationId: 'updateAccount',
    case: 'shared',
    request: ({ shared }) => ({ ids: [shared], body: { displayName: 'a' } }),
    ...{ owner: 200, admin: 200, member: 403, former: 404, stranger: 404 },
  },
  {
    operationId: 'putAccountBudget',
    request: (resources) => ({ ids: [resources.private], body: { limitUsdMicros: null } }),
    ...{ owner: 200, ...hidden },
  },
  {
    operationId: 'putAccountBudget',
    case: 'shared',
    request: ({ shared }) => ({ ids: [shared], body: { limitUsdMicros: null } }),
    ...{ owner: 200, admin: 200, member: 403, former: 404, stranger: 404 },
  },
  {
    operationId: 'disconnectAccount',
    case: 'shared',
    request: ({ shared }) => ({ ids: [shared] }),
    ...{ owner: 200, admin: 200, member: 403, former: 404, stranger: 404 },
  },
  {
    operationId: 'createPost',
    case: 'for a shared account',
    request: ({ shared }) => ({ body: { accountIds: [shared] } }),
    ...{ owner: 201, admin: 201, member: 201, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPost',
    request: (resources) => ({ body: { accountIds: [resources.private] } }),
    ...{ owner: 201, admin: 403, member: 403, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPost',
    case: 'with a file',
    request: ({ media }, { own }) => ({ body: { accountIds: [own], mediaIds: [media] } }),
    ...{ owner: 201, admin: 403, member: 403, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPost',
    case: 'over a limit of the network',
    request: ({ shared }) => ({ body: { accountIds: [shared], caption: 'a'.repeat(1_000) } }),
    ...{ owner: 400, admin: 400, member: 400, former: 403, stranger: 403 },
  },
  {
    operationId: 'validatePost',
    request: (resources) => ({ body: { accountIds: [resources.private], mediaIds: [resources.media] } }),
    ...sameForAll(200),
  },
  {
    operationId: 'validatePost',
    case: 'for a shared account, over a limit of the network',
    request: ({ shared }) => ({ body: { accountIds: [shared], caption: 'a'.repeat(1_000) } }),
    ...sameForAll(200),
  },
  {
    operationId: 'createPosts',
    request: (resources, { own }) => ({
      body: { posts: [own, resources.private].map((id) => ({ accountIds: [id] })) },
    }),
    ...{ owner: 201, admin: 403, member: 403, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPosts',
    case: 'each by itself',
    request: (resources, { own }) => ({
      body: { mode: 'each', posts: [own, resources.private, resources.shared].map((id) => ({ accountIds: [id] })) },
    }),
    ...sameForAll(200),
  },
  {
    operationId: 'validatePosts',
    request: ({ shared, media }) => ({ body: { posts: [{ accountIds: [shared], mediaIds: [media] }] } }),
    ...sameForAll(200),
  },
  {
    operationId: 'createConnection',
    request: () => ({ body: { platform: OAUTH_PLATFORM } }),
    ...sameForAll(201),
  },
  {
    operationId: 'createConnection',
    case: 'for an organisation',
    request: ({ organization }) => ({ body: { platform: OAUTH_PLATFORM, organizationId: organization } }),
    ...adminsOnly(201),
  },
  {
    operationId: 'createConnection',
    case: 'to connect an account again',
    request: (resources) => ({ body: { platform: OAUTH_PLATFORM, accountId: resources.private } }),
    // The account is on another network.
    ...{ owner: 400, admin: 403, member: 403, former: 403, stranger: 403 },
  },
  {
    operationId: 'createConnection',
    case: 'to connect a shared account again',
    request: ({ shared }) => ({ body: { platform: OAUTH_PLATFORM, accountId: shared } }),
    ...{ owner: 400, admin: 400, member: 403, former: 403, stranger: 403 },
  },
  { operationId: 'getConnection', request: ({ choosing }) => ({ ids: [choosing] }), owner: 200, ...hidden },
  {
    operationId: 'chooseAccounts',
    request: ({ choosing }) => ({ ids: [choosing], body: { ids: ['1'] } }),
    owner: 200,
    ...hidden,
  },
  {
    operationId: 'completeConnection',
    request: ({ opened }) => ({
      ids: [opened],
      body: { callbackUrl: `https://postroom.example/connect/callback?code=a&state=${opened}` },
    }),
    owner: 200,
    ...hidden,
  },
  {
    operationId: 'putApp',
    request: () => ({ ids: [OAUTH_PLATFORM], body: { clientId: 'a', clientSecret: 'b' } }),
    ...sameForAll(200),
  },
  {
    operationId: 'putApp',
    case: 'for an organisation',
    request: ({ organization }) => ({ ids: [OAUTH_PLATFORM], body: { clientId: 'a', organizationId: organization } }),
    ...adminsOnly(200),
  },
  {
    operationId: 'deleteApp',
    case: 'of an organisation',
    request: ({ organization }) => ({ ids: [OAUTH_PLATFORM], query: { organizationId: organization } }),
    ...adminsOnly(404),
  },
  { operationId: 'retryDeliveries', request: ({ shared }) => ({ body: { accountId: shared } }), ...sameForAll(200) },
  { operationId: 'countPosts', request: () => ({ query: { by: 'state' } }), ...sameForAll(200) },
  // Former members keep the events of accounts from when they were members.
  { operationId: 'listEvents', request: () => ({ query: { types: 'post.*' } }), ...sameForAll(200) },
  {
    operationId: 'listPosts',
    case: 'of an organisation',
    request: ({ organization }) => ({ query: { organizationId: organization, include: 'targets' } }),
    ...adminsOnly(200),
  },
  {
    operationId: 'listDeliveries',
    case: 'of an organisation',
    request: ({ organization }) => ({ query: { organizationId: organization } }),
    ...adminsOnly(200),
  },
  {
    operationId: 'countPosts',
    case: 'of an organisation',
    request: ({ organization }) => ({ query: { organizationId: organization, by: 'account' } }),
    ...adminsOnly(200),
  },
  {
    operationId: 'deletePost',
    case: 'published',
    request: ({ published }) => ({ ids: [published] }),
    ...managed(400),
  },
  {
    operationId: 'updatePost',
    request: ({ draft }) => ({ ids: [draft], body: { firstComment: 'b' } }),
    ...managed(200),
  },
  {
    operationId: 'updatePost',
    case: 'published',
    request: ({ published }) => ({ ids: [published], body: { caption: 'b' } }),
    ...managed(400),
  },
  {
    operationId: 'updatePosts',
    request: ({ draft }) => ({ body: { ids: [draft], set: { firstComment: 'c' } } }),
    ...sameForAll(200),
  },
  {
    operationId: 'updatePosts',
    case: 'of an organisation',
    request: ({ organization }) => ({
      body: { filters: { organizationId: organization, status: ['draft'] }, set: { firstComment: 'c' }, dryRun: true },
    }),
    ...adminsOnly(200),
  },
  {
    operationId: 'deletePosts',
    request: ({ published }) => ({ body: { ids: [published] } }),
    ...sameForAll(200),
  },
  {
    operationId: 'publishPost',
    case: 'published',
    request: ({ published }) => ({ ids: [published] }),
    ...managed(409),
  },
  { operationId: 'retryDelivery', request: ({ failed, shared }) => ({ ids: [failed, shared] }), ...managed(202) },
  {
    operationId: 'cancelDelivery',
    request: ({ scheduled, shared }) => ({ ids: [scheduled, shared] }),
    ...managed(200),
  },
  {
    operationId: 'editDelivery',
    request: ({ published, shared }) => ({ ids: [published, shared], body: { text: 'b' } }),
    ...managed(409),
  },
  {
    operationId: 'removeDelivery',
    request: ({ published, shared }) => ({ ids: [published, shared] }),
    ...managed(409),
  },
  { operationId: 'removePost', request: ({ published }) => ({ ids: [published] }), ...managed(409) },
  {
    operationId: 'markDeliveryPublished',
    request: ({ failed, shared }) => ({ ids: [failed, shared], body: {} }),
    ...managed(200),
  },
  {
    operationId: 'checkDelivery',
    request: ({ failed, shared }) => ({ ids: [failed, shared] }),
    ...managed(409),
  },
  {
    operationId: 'explainDelivery',
    request: ({ failed, shared }) => ({ ids: [failed, shared] }),
    ...managed(200),
  },
  {
    operationId: 'resolveDelivery',
    request: ({ unconfirmed, shared }) => ({ ids: [unconfirmed, shared], body: { outcome: 'published' } }),
    ...managed(200),
  },
  { operationId: 'uploadMedia', request: (_, { name }) => ({ parts: image(name) }), ...sameForAll(201) },
  { operationId: 'createUpload', request: () => ({ body: { fileName: '1.jpg' } }), ...sameForAll(201) },
  { operationId: 'importMedia', request: () => ({ body: { url: 'https://files.example/1.jpg' } }), ...sameForAll(201) },
  {
    operationId: 'listMedia',
    case: 'of an organisation',
    request: ({ organization }) => ({ query: { organizationId: organization } }),
    ...adminsOnly(200),
  },
  {
    operationId: 'updateMedia',
    request: ({ media }) => ({ ids: [media], body: { altText: 'b' } }),
    ...managed(200),
  },
  { operationId: 'createKey', request: () => ({ body: { name: 'a', scopes: ['posts:read'] } }), ...sameForAll(201) },
  { operationId: 'updateKey', request: ({ key }) => ({ ids: [key], body: { name: 'a' } }), owner: 200, ...hidden },
  {
    operationId: 'putKeyBudget',
    request: ({ key }) => ({ ids: [key], body: { limitUsdMicros: null } }),
    ...{ owner: 200, ...hidden },
  },
  { operationId: 'rotateKey', request: ({ key }) => ({ ids: [key], body: {} }), owner: 201, ...hidden },
  { operationId: 'createWebhook', request: () => ({ body: { url: 'https://a.example' } }), ...sameForAll(201) },
  ...(
    [
      ['updateWebhook', 200, { payload: 'thin' }],
      ['rotateWebhookSecret', 200, { force: true }],
      ['testWebhook', 202],
      ['redeliverEvents', 202, { from: '2026-01-01T00:00:00Z' }],
    ] as [operationId: string, owner: number, body?: object][]
  ).map(
    ([operationId, owner, body]): Row => ({
      ...{ operationId, owner, ...hidden },
      request: ({ webhook }) => ({ ids: [webhook], ...(body && { body }) }),
    }),
  ),
  // The key in the path belongs to no app.
  { operationId: 'disconnectApp', owner: 404, ...hidden, request: ({ key }) => ({ ids: [key] }) },
]

/** Who may use the resource that a path names: every admin of its organisation, its owner alone, or everybody. */
function rightsOf(path: string, status: number) {
  const collection = /(\w+)\/\{/.exec(path)?.[1]
  if (collection === undefined || collection === 'platforms') return sameForAll(status)
  return collection === 'posts' || collection === 'media' ? managed(status) : { owner: status, ...hidden }
}

/** The row of an operation that has none without a case: its first example, for a resource of each kind in its path. */
const deriveRow = ({ operationId, path, requestBody, responses, ...operation }: (typeof operations)[number]): Row => ({
  operationId,
  request: (resources) => {
    const { draft: post, opened: connection, organization } = resources
    const account = path.includes('/posts/') ? resources.shared : resources.private
    const tenant = { tenant: organization, tenantOrganization: organization, tenantKey: organization }
    const named = { ...resources, ...tenant, post, connection, account, platform: OAUTH_PLATFORM }
    const [example] = Object.values((requestBody && json(requestBody)?.examples) ?? {})
    return {
      ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => idOf(path, name!, named)),
      ...(example && { body: example.value as object }),
    }
  },
  // Keys without a list of scopes do not administer the service.
  ...(operation['x-required-scope'] === 'admin'
    ? sameForAll(403)
    : rightsOf(path, Math.min(...Object.keys(responses).map(Number)))),
})

/** The rows of all operations. */
export const TABLE: Row[] = [
  ...operations
    .filter(({ operationId }) => !WRITTEN.some((row) => row.operationId === operationId && row.case === undefined))
    .map(deriveRow),
  ...WRITTEN,
]

const connect = (username: string, organizationId?: string) => ({
  body: { platform: 'sandbox', credentials: { username }, ...(organizationId && { organizationId }) },
})
const image = (name: string): Parameters<typeof form>[0] => [
  ['altText', name],
  ['file', IMAGES[2]!],
]
