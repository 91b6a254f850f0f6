import type { form } from '../../helpers/upload.ts'
import { OAUTH_PLATFORM } from './caller.ts'
import { IMAGES } from './forms.ts'

/** Ids of the owner's resources. */
export interface Resources {
  organization: string
  /** An account that the organisation shares, and one that it does not. */
  shared: string
  private: string
  draft: string
  published: string
  failed: string
  unconfirmed: string
  media: string
  /** Connections that wait for their callback and for a choice. */
  opened: string
  choosing: string
}

export interface Request {
  /** Path parameters, in order. */
  ids?: string[]
  query?: Record<string, string>
  body?: object
  parts?: Parameters<typeof form>[0]
}

/**
 * The status that each user gets for one request: the owner of the resources, a member of the organisation that shares an
 * account, a former member, and a stranger.
 */
export interface Row {
  operationId: string
  case?: string
  request(resources: Resources, actor: { own: string; name: string }): Request
  owner: number
  member: number
  former: number
  stranger: number
}

const hidden = { member: 404, former: 404, stranger: 404 }
const sameForAll = (status: number) => ({ owner: status, member: status, former: status, stranger: status })

export const TABLE: Row[] = [
  { operationId: 'listAccounts', request: () => ({}), ...sameForAll(200) },
  { operationId: 'connectAccount', case: 'for the user', request: (_, { name }) => connect(name), ...sameForAll(201) },
  {
    operationId: 'connectAccount',
    case: 'for an organisation',
    request: ({ organization }, { name }) => connect(`${name}-shared`, organization),
    ...{ owner: 201, member: 201, former: 403, stranger: 403 },
  },
  {
    operationId: 'disconnectAccount',
    case: 'shared',
    request: ({ shared }) => ({ ids: [shared] }),
    ...{ owner: 200, member: 403, former: 404, stranger: 404 },
  },
  { operationId: 'disconnectAccount', request: (resources) => ({ ids: [resources.private] }), owner: 200, ...hidden },
  {
    operationId: 'createPost',
    case: 'for a shared account',
    request: ({ shared }) => ({ body: { accountIds: [shared] } }),
    ...{ owner: 201, member: 201, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPost',
    request: (resources) => ({ body: { accountIds: [resources.private] } }),
    ...{ owner: 201, member: 403, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPost',
    case: 'with a file',
    request: ({ media }, { own }) => ({ body: { accountIds: [own], mediaIds: [media] } }),
    ...{ owner: 201, member: 403, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPost',
    case: 'over a limit of the network',
    request: ({ shared }) => ({ body: { accountIds: [shared], caption: 'a'.repeat(1_000) } }),
    ...{ owner: 400, member: 400, former: 403, stranger: 403 },
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
    ...{ owner: 201, member: 201, former: 403, stranger: 403 },
  },
  {
    operationId: 'createConnection',
    case: 'to connect an account again',
    request: (resources) => ({ body: { platform: OAUTH_PLATFORM, accountId: resources.private } }),
    // The account is on another network.
    ...{ owner: 400, member: 403, former: 403, stranger: 403 },
  },
  {
    operationId: 'createConnection',
    case: 'to connect a shared account again',
    request: ({ shared }) => ({ body: { platform: OAUTH_PLATFORM, accountId: shared } }),
    ...{ owner: 400, member: 403, former: 403, stranger: 403 },
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
  { operationId: 'deleteConnection', request: ({ opened }) => ({ ids: [opened] }), owner: 200, ...hidden },
  { operationId: 'listApps', request: () => ({}), ...sameForAll(200) },
  {
    operationId: 'putApp',
    request: () => ({ ids: [OAUTH_PLATFORM], body: { clientId: 'a', clientSecret: 'b' } }),
    ...sameForAll(200),
  },
  {
    operationId: 'putApp',
    case: 'for an organisation',
    request: ({ organization }) => ({ ids: [OAUTH_PLATFORM], body: { clientId: 'a', organizationId: organization } }),
    ...sameForAll(403),
  },
  { operationId: 'deleteApp', request: () => ({ ids: [OAUTH_PLATFORM] }), owner: 200, ...hidden },
  {
    operationId: 'deleteApp',
    case: 'of an organisation',
    request: ({ organization }) => ({ ids: [OAUTH_PLATFORM], query: { organizationId: organization } }),
    ...sameForAll(403),
  },
  { operationId: 'listPosts', request: () => ({}), ...sameForAll(200) },
  { operationId: 'getPost', request: ({ draft }) => ({ ids: [draft] }), owner: 200, ...hidden },
  { operationId: 'deletePost', request: ({ draft }) => ({ ids: [draft] }), owner: 200, ...hidden },
  {
    operationId: 'deletePost',
    case: 'published',
    request: ({ published }) => ({ ids: [published] }),
    owner: 400,
    ...hidden,
  },
  { operationId: 'publishPost', request: ({ draft }) => ({ ids: [draft] }), owner: 202, ...hidden },
  {
    operationId: 'publishPost',
    case: 'published',
    request: ({ published }) => ({ ids: [published] }),
    owner: 409,
    ...hidden,
  },
  { operationId: 'retryDelivery', request: ({ failed, shared }) => ({ ids: [failed, shared] }), owner: 202, ...hidden },
  {
    operationId: 'resolveDelivery',
    request: ({ unconfirmed, shared }) => ({ ids: [unconfirmed, shared], body: { outcome: 'published' } }),
    owner: 200,
    ...hidden,
  },
  { operationId: 'uploadMedia', request: (_, { name }) => ({ parts: image(name) }), ...sameForAll(201) },
  { operationId: 'importMedia', request: () => ({ body: { url: 'https://files.example/1.jpg' } }), ...sameForAll(201) },
  { operationId: 'listMedia', request: () => ({}), ...sameForAll(200) },
  { operationId: 'getMedia', request: ({ media }) => ({ ids: [media] }), owner: 200, ...hidden },
  { operationId: 'getMediaContent', request: ({ media }) => ({ ids: [media] }), owner: 200, ...hidden },
  {
    operationId: 'updateMedia',
    request: ({ media }) => ({ ids: [media], body: { altText: 'b' } }),
    owner: 200,
    ...hidden,
  },
  { operationId: 'deleteMedia', request: ({ media }) => ({ ids: [media] }), owner: 200, ...hidden },
  { operationId: 'listSandboxCalls', request: () => ({}), ...sameForAll(200) },
]

const connect = (username: string, organizationId?: string) => ({
  body: { platform: 'sandbox', credentials: { username }, ...(organizationId && { organizationId }) },
})
const image = (name: string): Parameters<typeof form>[0] => [
  ['altText', name],
  ['file', IMAGES[2]!],
]
