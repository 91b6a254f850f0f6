import type { LightMyRequestResponse as Response } from 'fastify'
import t from 'tap'
import { storeAvatar } from '../../db/queries/avatars.ts'
import { revokeKey } from '../../db/queries/keys.ts'
import { deleteMembership } from '../../db/queries/people.ts'
import { SCHEDULE_EXAMPLES } from '../../schemas/schedule.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { createConnection, createFuzzWorld, OAUTH_PLATFORM } from '../faults/fuzz/caller.ts'
import { IMAGES } from '../faults/fuzz/forms.ts'
import { UNKNOWN_ID } from '../faults/fuzz/ids.ts'
import { operations } from '../faults/fuzz/requests.ts'
import { contractBreach } from '../faults/fuzz/responses.ts'
import type { Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { readAllEvents } from '../helpers/events.ts'
import { type Check, collectProblems } from '../helpers/problems.ts'
import { until } from '../helpers/until.ts'
import { form, upload } from '../helpers/upload.ts'
import { type Request, type Resources, type Row, TABLE } from './authorization-table.ts'

/** Part of every text of the owner. No response to another user may contain it. */
const OWNER_TEXT = 'said-by-the-owner'
/** The name of an account of the owner that is not shared. */
const OWNER_TEXT_ELSEWHERE = `${OWNER_TEXT}-too`
const KEY_ERRORS = { expired: 'API key expired', revoked: 'Invalid API key', missing: 'Missing API key' }

t.test('the table has every operation', async (t) => {
  t.strictSame(
    new Set(TABLE.map(({ operationId }) => operationId)),
    new Set(operations.map((each) => each.operationId)),
  )
})

const { app, db, organization, promote, ...world } = await createFuzzWorld(t)
const user = async (name?: string) => repeating(await world.user(name))

/** Creates a scene for each request that writes. Those that read, or are refused to this person, share one. */
function perWrite<T>(person: 'owner' | 'admin', create: () => Promise<T>): (row: Row) => Promise<T> {
  let shared: Promise<T> | undefined
  return ({ operationId, [person]: status }) => {
    const { method } = operations.find((each) => each.operationId === operationId)!
    if (method !== 'GET' && status < 400) return create()
    shared ??= create()
    return shared
  }
}

const sceneOf = perWrite('owner', async () => {
  const owner = await user(OWNER_TEXT)
  const others = { stranger: await user(), former: await user(), member: await user() }
  const shared = await organization(owner, others.member)
  // An organisation without an admin lets every member connect accounts.
  await promote(shared, others.former, await user())
  const resources = await createResources(owner, shared)
  const before = await readEverything(owner, resources)
  await deleteMembership(db, { userId: others.former.id, organizationId: resources.organization })
  return { owner, others, resources, before }
})

const adminSceneOf = perWrite('admin', async () => {
  const [owner, admin] = [await user(OWNER_TEXT), await user()]
  const organizationId = await organization(owner)
  await promote(organizationId, admin)
  return { admin, resources: await createResources(owner, organizationId) }
})

for (const row of TABLE) {
  t.test([row.operationId, row.case].filter(Boolean).join(' '), async (t) => {
    const { problems, check } = collectProblems()
    const { owner, others, resources, before } = await sceneOf(row)
    const ownRequest = row.request(resources, { own: await owner.account('sandbox'), name: 'owner' })
    const send = (key: string | undefined, request: Request) => sendRequest(check, row.operationId, key, request)

    for (const [name, key] of Object.entries(await invalidKeys(owner))) {
      const response = await send(key, ownRequest)
      const error = KEY_ERRORS[name as keyof typeof KEY_ERRORS]
      check([response.statusCode, response.json()], [401, { error }], `${name} key`)
    }

    const secrets = [OWNER_TEXT, owner.id, ...Object.values(resources)]
    for (const [name, person] of Object.entries(others)) {
      const request = row.request(resources, { own: await person.account('sandbox', { username: name }), name })
      const response = await send(person.key, request)
      check(response.statusCode, row[name as keyof typeof others], name)
      // Members see the shared account, with its id and name, and whose it is.
      const shown = `${resources.shared} ${OWNER_TEXT} ${owner.id} ${resources.organization}`
      const known = JSON.stringify(request) + (name === 'member' ? shown : '')
      const leaked = secrets.filter((secret) => !known.includes(secret) && response.payload.includes(secret))
      check(leaked, [], `what the response to the ${name} shows of the owner: ${response.payload}`)
      if (response.statusCode < 400 || name === 'member') continue
      const forUnknown = await send(person.key, withUnknownIds(request, secrets))
      check(
        comparable(forUnknown, []),
        comparable(response, secrets),
        `the response to the ${name} is the same as for an id that does not exist`,
      )
    }

    const after = await readEverything(owner, resources)
    // Leaves out the accounts that this test added.
    const existed = ({ id }: { id: string }) => id === resources.shared || id === resources.private
    after[0].data = after[0].data.filter(existed)
    check((await send(owner.key, ownRequest)).statusCode, row.owner, 'owner')
    t.strictSame(problems, [])
    t.strictSame(after, before, "the owner's resources are unchanged")
  })
}

for (const row of TABLE) {
  t.test(`${[row.operationId, row.case].filter(Boolean).join(' ')}, by an admin of the organisation`, async (t) => {
    const { problems, check } = collectProblems()
    const { admin, resources } = await adminSceneOf(row)
    const request = row.request(resources, { own: await admin.account('sandbox'), name: 'admin' })
    const response = await sendRequest(check, row.operationId, admin.key, request)
    check(response.statusCode, row.admin, 'admin')
    const { private: account, opened, choosing, key } = resources
    const hidden = [account, opened, choosing, key, OWNER_TEXT_ELSEWHERE]
    const leaked = hidden.filter((text) => !JSON.stringify(request).includes(text) && response.payload.includes(text))
    check(leaked, [], `what the response shows from outside of the organisation: ${response.payload}`)
    t.strictSame(problems, [])
  })
}

const { weekdays: SCHEDULE } = SCHEDULE_EXAMPLES

async function createResources(owner: Person, organization: string): Promise<Resources> {
  const shared = await owner.account('sandbox', { username: OWNER_TEXT, organizationId: organization })
  const own = await owner.account('sandbox', { username: OWNER_TEXT_ELSEWHERE })
  const file = await upload(app, owner, [
    ['altText', OWNER_TEXT],
    ['file', IMAGES[0]!],
  ])
  for (const id of [shared, own]) {
    await owner.call('PUT', `/accounts/${id}/schedule`, SCHEDULE)
    await storeAvatar(db, { id, bytes: Buffer.from('a picture') })
  }
  await owner.call('PUT', `/apps/${OAUTH_PLATFORM}`, { clientId: OWNER_TEXT, clientSecret: `${OWNER_TEXT}-secret` })
  const create = async (state?: string, status?: string, mediaIds: string[] = []) => {
    const post = { accountIds: [shared], caption: OWNER_TEXT, firstComment: OWNER_TEXT, mediaIds }
    const { body } = await owner.call('POST', '/posts', post)
    if (state) await db.updateTable('postTargets').set({ state }).where('postId', '=', body.id).execute()
    if (status) await db.updateTable('posts').set({ status }).where('id', '=', body.id).execute()
    return body.id as string
  }
  await create()
  const [event] = await readAllEvents(db, owner, '&types=post.created')
  return {
    organization,
    event: event!.id,
    shared,
    private: own,
    draft: await create(),
    published: await create('published', 'published', [file.body.id]),
    scheduled: await create('queued', 'scheduled'),
    failed: await create('failed', 'scheduled'),
    unconfirmed: await create('unconfirmed', 'published'),
    media: file.body.id,
    opened: await createConnection({ db }, owner, false, OWNER_TEXT),
    choosing: await createConnection({ db }, owner, true, OWNER_TEXT),
    key: (await createKey(db, { userId: owner.id, name: OWNER_TEXT, expiresAt: null })).id,
    webhook: await createWebhook(owner),
  }
}

/** A webhook with two secrets. */
async function createWebhook(owner: Person): Promise<string> {
  const { body } = await owner.call('POST', '/webhooks', { url: `https://${OWNER_TEXT}.example` })
  await owner.call('POST', `/webhooks/${body.id}/rotate-secret`, {})
  return body.id
}

/** Everything that the owner can read: accounts, media, apps, connections, a key, and each post. */
async function readEverything(owner: Person, { opened, choosing, key }: Resources) {
  const [posts, accounts, ...others] = await Promise.all([
    owner.call('GET', '/posts'),
    owner.call('GET', '/accounts'),
    owner.call('GET', '/media'),
    owner.call('GET', '/apps'),
    owner.call('GET', `/connections/${opened}`),
    owner.call('GET', `/connections/${choosing}`),
    owner.call('GET', `/keys/${key}`),
  ])
  const details = posts.body.data.map(({ id }: { id: string }) => owner.call('GET', `/posts/${id}`))
  const replies = [accounts, ...others, ...(await Promise.all<Awaited<ReturnType<Person['call']>>>(details))]
  return replies.map(({ body }) => body)
}

async function invalidKeys({ id: userId }: Person) {
  const { id, key: revoked } = await createKey(db, { userId, name: null, expiresAt: null })
  await revokeKey(db, id)
  const { key: expired } = await createKey(db, { userId, name: null, expiresAt: new Date(0) })
  return { expired, revoked, missing: undefined }
}

/** Sends a request, and requires a response that the document allows. */
async function sendRequest(
  check: Check,
  operationId: string,
  key: string | undefined,
  { ids = [], query, body, parts }: Request,
): Promise<Response> {
  const operation = operations.find((operation) => operation.operationId === operationId)!
  const rest = [...ids]
  const { type, body: bytes } = parts ? await form(parts) : { type: 'application/json', body: JSON.stringify(body) }
  const path = operation.path.replace(/\{\w+\}/g, () => rest.shift()!)
  const request = {
    method: operation.method as 'GET',
    url: query ? `${path}?${new URLSearchParams(query)}` : path,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...((parts || body) && { 'content-type': type }),
    },
    ...((parts || body) && { payload: bytes }),
  }
  // On a busy machine, a request may exceed its time limit.
  const isMet = ({ statusCode }: Response) => statusCode !== 503
  const response = await until('the request is carried out', () => app.inject(request), { isMet })
  check(contractBreach(operation, response), '', operationId)
  return response
}

/** The same request for resources that do not exist. */
function withUnknownIds(request: Request, ids: string[]): Request {
  const text = ids.reduce((text, id) => text.replaceAll(id, UNKNOWN_ID), JSON.stringify(request))
  return JSON.parse(text)
}

/** Status, headers and body, without what differs between two requests. */
const comparable = ({ statusCode, headers, payload }: Response, ids: string[]) => {
  const { 'x-request-id': _, date: __, ...rest } = headers
  return [statusCode, rest, ids.reduce((text, id) => text.replaceAll(id, UNKNOWN_ID), payload)]
}

t.test('a former member keeps their posts, and can no longer publish them', async (t) => {
  const [owner, former] = [await user(), await user()]
  const organizationId = await organization(owner, former)
  const account = await owner.account('sandbox', { username: 'shared', organizationId })
  const { body: post } = await former.call('POST', '/posts', { accountIds: [account], caption: 'a' })
  await deleteMembership(db, { userId: former.id, organizationId })
  t.strictSame((await former.call('GET', '/accounts')).body.data, [])
  t.equal((await former.call('GET', `/posts/${post.id}`)).status, 200)
  t.equal((await owner.call('GET', `/posts/${post.id}`)).status, 404, 'the owner of the account does not see the post')
  t.equal((await former.call('POST', `/posts/${post.id}/publish`)).status, 403)
  t.equal((await former.call('DELETE', `/posts/${post.id}`)).status, 200)
})
