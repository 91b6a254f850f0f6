import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import fc, { type Arbitrary } from 'fast-check'
import type { LightMyRequestResponse as Response } from 'fastify'
import { newId } from '../../../db/id.ts'
import { storeAvatar } from '../../../db/queries/avatars.ts'
import { insertOrganization, insertUser, upsertMembership } from '../../../db/queries/people.ts'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import { SCOPE_NAMES } from '../../../schemas/scopes.ts'
import { createKey } from '../../../src/features/auth/create-key.ts'
import { createNetworks } from '../../../src/platforms/adapters.ts'
import { createWorld, type Options, type Person, type World } from '../../helpers/app.ts'
import { redirectBack } from '../../helpers/connect-oauth.ts'
import type { Teardown } from '../../helpers/database.ts'
import { readAllEvents } from '../../helpers/events.ts'
import { grantedAccount, oauthNetwork, scriptedOAuth } from '../../helpers/scripted-oauth.ts'
import { stubNetworks } from '../../helpers/stub-networks.ts'
import { upload } from '../../helpers/upload.ts'
import { IMAGES } from './forms.ts'
import { fillIds, foreign, type Pool, RESOURCES, UNKNOWN_ID } from './ids.ts'
import type { Path } from './mutations.ts'
import type { PlannedRequest } from './requests.ts'
import { contractBreach } from './responses.ts'

/** The network whose accounts are connected by OAuth. */
export const OAUTH_PLATFORM = 'tiktok'

/** Starts a service that calls no network and imports images of its own. */
export const createFuzzWorld = (t: Teardown, options: Options = {}): Promise<World> =>
  createWorld(t, {
    fetch: stubNetworks,
    networks: (db) => ({ ...createNetworks(sandboxStore(db)), [OAUTH_PLATFORM]: oauthNetwork(twoAccounts()) }),
    oauthApps: { [OAUTH_PLATFORM]: { clientId: 'a', clientSecret: 'b' } },
    media: {
      fetchFile: async (url) => Readable.from([IMAGES[Number(/\d+/.exec(url)?.[0] ?? 0) % IMAGES.length]!]),
    },
    webhookUrls: { allowsHttp: true, isReachable: async () => true },
    ...options,
  })

/** OAuth whose users always have to choose. */
const twoAccounts = () => Object.assign(scriptedOAuth(), { accounts: [grantedAccount('1'), grantedAccount('2')] })

/** Part of every text of the other user. No response may contain it. */
const FOREIGN_TEXT = 'said-by-somebody-else'

/** A user who sends generated requests, with the ids that they can contain. */
export interface Caller {
  /** Sends a request. `problem` says how the response is wrong; it is empty if it is right. */
  send(request: PlannedRequest): Promise<{ response: Response; problem: string }>
}

const ATTEMPTS_MAX = 10

/** Number of ids of each kind that requests contain: the newest. */
const IDS_MAX = 40

/** Creates a user with accounts, media and posts, and another one with the same. */
export async function createCaller({ app, db, user, organization, promote }: World): Promise<Caller> {
  const [own, other] = [await user(), await user(FOREIGN_TEXT)]
  const ownOrganization = await organization()
  await promote(ownOrganization, own)
  const ownIds = await createResources({ app, db }, own, 'own', ownOrganization)
  const otherIds = await createResources({ app, db }, other, FOREIGN_TEXT, await organization(other))
  const idsOf: Record<string, string[]> = { ...ownIds }
  for (const resource of RESOURCES) idsOf[foreign(resource)] = otherIds[resource]
  const idAt = (pool: Pool, index: number) => {
    const ids = idsOf[pool]!
    return ids[index % ids.length] ?? UNKNOWN_ID
  }
  // A key has `admin` only if a list of scopes names it.
  const { key: adminKey } = await createKey(db, { userId: own.id, name: null, expiresAt: null, scopes: SCOPE_NAMES })
  const addId = (pool: Pool, id: string) => {
    const ids = idsOf[pool]!
    ids.push(id)
    if (ids.length > IDS_MAX) ids.shift()
  }
  const removeId = (id: string) => {
    for (const ids of Object.values(idsOf)) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
  }

  return {
    async send({ operation, params, query, headers, body, expected }) {
      const fill = (text: string) => fillIds(text, idAt)
      const isAdministration = operation['x-required-scope'] === 'admin'
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(fill(params[name]!)))
      const request = {
        method: operation.method as 'GET',
        url: query.length > 0 ? `${path}?${new URLSearchParams(JSON.parse(fill(JSON.stringify(query))))}` : path,
        headers: { authorization: `Bearer ${isAdministration ? adminKey : own.key}`, ...headers },
        ...(body !== undefined && { payload: typeof body === 'string' ? fill(body) : body }),
      }
      let response = await app.inject(request)
      // On a busy machine the service may run into its time limits. It must succeed in the end.
      for (let attempt = 1; response.statusCode === 503 && attempt < ATTEMPTS_MAX; attempt++) {
        response = await app.inject(request)
      }
      let problem = contractBreach(operation, response)
      if (!problem && !isAdministration && response.payload.includes(FOREIGN_TEXT))
        problem = `text of another user: ${response.payload}`
      if (!problem) problem = unexpected(response, expected, fill)
      if (response.statusCode === 200 || response.statusCode === 201) {
        const pool = CREATED[operation.operationId]
        if (pool) addId(pool, response.json().id)
        else if (operation.method === 'DELETE' && params.id) removeId(fill(params.id))
      }
      return { response, problem }
    },
  }
}

/** Kinds of resources that operations create. */
const CREATED: Record<string, Pool> = {
  createPost: 'post',
  createConnection: 'connection',
  createKey: 'key',
  rotateKey: 'key',
  createWebhook: 'webhook',
  createUser: 'user',
  createUserKey: 'userKey',
  createOrganization: 'tenant',
  connectAccount: 'disposable',
  uploadMedia: 'media',
  importMedia: 'media',
}

type Ids = Record<(typeof RESOURCES)[number], string[]>

const SLOTS = [{ weekday: 'monday', time: '09:30' }]

async function createResources(
  { app, db }: Pick<World, 'app' | 'db'>,
  person: Person,
  text: string,
  organization: string,
): Promise<Ids> {
  const account: string[] = []
  for (const platform of ['sandbox', 'sandbox', 'x', 'bluesky', 'mastodon'] as const) {
    const shared = platform === 'x' && { organizationId: organization }
    account.push(await person.account(platform, { username: text, ...shared }))
  }
  const disposable = await person.account('sandbox', { username: `${text}-2`, credentials: { username: text } })
  await person.call('PUT', `/accounts/${disposable}/schedule`, { timeZone: 'UTC', slots: SLOTS })
  await storeAvatar(db, { id: disposable, bytes: Buffer.from('a picture') })
  const file = await upload(app, person, [
    ['altText', text],
    ['file', IMAGES[0]!],
  ])
  const create = async (body: object) =>
    (await person.call('POST', '/posts', { accountIds: account, caption: text, ...body })).body.id as string
  const scheduled = { firstComment: text, scheduledAt: '2999-01-01T00:00:00Z' }
  const post = [await create({ mediaIds: [file.body.id] }), await create(scheduled), await create(scheduled)]
  // States that only a worker leads to.
  for (const state of ['failed', 'unconfirmed', 'unconfirmed', 'publishing', 'published']) {
    const id = await create(scheduled)
    await db.updateTable('postTargets').set({ state }).where('postId', '=', id).execute()
    const status = state === 'failed' || state === 'publishing' ? 'scheduled' : 'published'
    await db.updateTable('posts').set({ status }).where('id', '=', id).execute()
    post.push(id)
  }
  const putApp = await person.call('PUT', `/apps/${OAUTH_PLATFORM}`, { clientId: text })
  if (putApp.status !== 200) throw new Error(`putApp: ${putApp.status}`)
  const connection: string[] = []
  for (let index = 0; index < 6; index++) connection.push(await createConnection({ db }, person, index % 2 === 0, text))
  const events = await readAllEvents(db, person)
  return {
    account,
    connection,
    event: events.map(({ id }) => id),
    disposable: [disposable],
    media: [file.body.id, await person.media()],
    post,
    organization: [organization],
    key: await createKeys({ db }, person.id, text),
    webhook: await createWebhooks(person, text),
    ...(await createTenants({ db })),
  }
}

/** Keys that are not used to send requests. */
async function createKeys({ db }: Pick<World, 'db'>, userId: string, name: string): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < 6; index++) ids.push((await createKey(db, { userId, name, expiresAt: null })).id)
  return ids
}

/** Webhooks, of which some have a previous secret. */
async function createWebhooks(person: Person, text: string): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < 8; index++) {
    const { body } = await person.call('POST', '/webhooks', { url: `https://${text}.example` })
    if (index % 2 === 0) await person.call('POST', `/webhooks/${body.id}/rotate-secret`)
    ids.push(body.id)
  }
  return ids
}

/** Users, each with a key, and organisations that they belong to. They have no texts that would tell whose they are. */
async function createTenants({ db }: Pick<World, 'db'>) {
  const created = { user: [] as string[], userKey: [] as string[], tenant: [] as string[] }
  for (let index = 0; index < 2; index++) {
    const [userId, organizationId] = [newId(), newId()]
    await insertUser(db, { id: userId, name: 'a tenant' })
    await insertOrganization(db, { id: organizationId, name: 'an organisation' })
    await upsertMembership(db, { userId, organizationId, role: 'member' })
    created.user.push(userId)
    created.tenant.push(organizationId)
    created.userKey.push(...(await createKeys({ db }, userId, 'a key')))
  }
  return created
}

/** A connection that waits for its callback, whose `state` is its id, or for a choice. */
export async function createConnection(
  { db }: Pick<World, 'db'>,
  person: Person,
  isChoosing: boolean,
  externalReference: string,
): Promise<string> {
  const body = { platform: OAUTH_PLATFORM, manual: true, externalReference }
  const { id, url } = (await person.call('POST', '/connections', body)).body
  const callbackUrl = String(await redirectBack()(new URL(url)))
  if (isChoosing) await person.call('POST', `/connections/${id}/complete`, { callbackUrl })
  else {
    const stateHash = createHash('sha256').update(id).digest()
    await db.updateTable('connections').set({ stateHash }).where('id', '=', id).execute()
  }
  return id
}

/** How the response differs from the expected one; empty if it does not. */
function unexpected(response: Response, expected: PlannedRequest['expected'], fill: (text: string) => string): string {
  const { statusCode, payload } = response
  if (expected === 'valid') {
    return response.headers['x-error-code'] === 'invalid_request' ? `a valid request was rejected: ${payload}` : ''
  }
  if (statusCode !== 400) return `${statusCode} for an invalid request: ${payload}`
  const { error, details } = response.json()
  if (error !== 'Invalid request' || !details) return `a 400 without details: ${payload}`
  const [{ code, path, keys }] = details
  const expectedPath = expected.path.map((step): Path[number] => (typeof step === 'string' ? fill(step) : step))
  const isExpected =
    code === expected.code &&
    JSON.stringify(path) === JSON.stringify(expectedPath) &&
    (!expected.keys || JSON.stringify(keys) === JSON.stringify(expected.keys))
  return isExpected ? '' : `expected ${JSON.stringify({ ...expected, path: expectedPath })}: ${payload}`
}

const describe = ({ operation, what, params, query, headers, body }: PlannedRequest) =>
  JSON.stringify({ operation: operation.operationId, what, params, query, headers, body: body?.toString('utf8') })

/** Every generated request gets the expected response, and no response contradicts the document. */
export const responsesAreRight = (
  { send }: Caller,
  requests: Arbitrary<() => Promise<PlannedRequest>>,
  onResponse: (response: Response, request: PlannedRequest) => void,
) =>
  fc.asyncProperty(requests, async (make) => {
    const request = await make()
    const { response, problem } = await send(request)
    onResponse(response, request)
    if (problem) throw new Error(`${describe(request)}\n${problem}`)
  })
