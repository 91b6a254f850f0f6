import { sql } from 'kysely'
import t from 'tap'
import { newId } from '../../db/id.ts'
import { insertOrganization, insertUser, upsertMembership } from '../../db/queries/people.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/auth/create-key.ts'
import { createConnection, createFuzzWorld, OAUTH_PLATFORM } from '../faults/fuzz/caller.ts'
import { IMAGES } from '../faults/fuzz/forms.ts'
import type { Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { readAllEvents } from '../helpers/events.ts'
import { until } from '../helpers/until.ts'
import { form, upload } from '../helpers/upload.ts'
import { type Named, type SweptRequest, sweptOperations } from './sweep-requests.ts'

/*
 * Every operation of the OpenAPI document, with keys of every scope, by users of every role, for an account of somebody else,
 * and for accounts of the organisation that the key lists and does not list. No response shows what the caller may not see,
 * and nothing changes that the caller may not change.
 */

const ROLES = ['none', 'member', 'admin'] as const
const KINDS = ['foreign', 'listed', 'unlisted'] as const
type Role = (typeof ROLES)[number]
type Kind = (typeof KINDS)[number]
type Resource = Omit<Named, 'organization' | `tenant${string}` | 'platform'> & { text: string }

const { app, db, organization, ...world } = await createFuzzWorld(t)
const user = async () => repeating(await world.user())

/** What somebody has for one account: a post with a file, a key, a connection and a webhook. Each text tells whose it is. */
async function createResource(owner: Person, kind: Kind, organizationId: string | undefined): Promise<Resource> {
  const text = `the-${kind}-one`
  const username = `${text}-of-${newId()}`
  const account = await owner.account('sandbox', { username, ...(organizationId && { organizationId }) })
  const image = IMAGES[KINDS.indexOf(kind)]!
  const file = await upload(app, owner, [
    ['altText', text],
    ['file', image],
  ])
  const body = { accountIds: [account], caption: text, mediaIds: [file.body.id], externalReference: text }
  const post = await owner.call('POST', '/posts', body)
  const { id: key } = await createKey(db, { userId: owner.id, name: text, expiresAt: null })
  const connection = await createConnection({ db }, owner, false, text)
  const [event] = await readAllEvents(db, owner, `&postId=${post.body.id}`)
  const hook = await owner.call('POST', '/webhooks', { url: `https://${text}.example`, accountIds: [account] })
  const ids = {
    account,
    post: post.body.id,
    media: file.body.id,
    key,
    connection,
    webhook: hook.body.id,
    event: event!.id,
  }
  return { ...ids, text }
}

async function createScene() {
  const owner = await user()
  const organizationId = await organization(owner)
  const resources = {} as Record<Kind, Resource>
  for (const kind of KINDS) {
    resources[kind] = await createResource(owner, kind, kind === 'foreign' ? undefined : organizationId)
  }
  return { organizationId, resources, hashes: await hashesOf(resources) }
}
type Scene = Awaited<ReturnType<typeof createScene>>

/** A hash of everything that is stored of each resource. */
async function hashesOf(resources: Record<Kind, Resource>): Promise<Record<Kind, string>> {
  const hash = ({ account, post, media, key, connection, webhook }: Resource) => sql<string>`
    md5(concat_ws(' ',
      (select accounts::text from accounts where id = ${account}),
      (select posts::text from posts where id = ${post}),
      (select string_agg(post_targets::text, ' ') from post_targets where post_id = ${post}),
      (select string_agg(post_media::text, ' ') from post_media where post_id = ${post}),
      (select media::text from media where id = ${media}),
      (select api_keys::text from api_keys where id = ${key}),
      (select connections::text from connections where id = ${connection}),
      (select webhooks::text from webhooks where id = ${webhook})))`
  const { foreign, listed, unlisted } = resources
  const { rows } = await sql<Record<Kind, string>>`
    select ${hash(foreign)} as foreign, ${hash(listed)} as listed, ${hash(unlisted)} as unlisted`.execute(db)
  return rows[0]!
}

const seesAccount = (role: Role, kind: Kind, isLimited: boolean) =>
  role !== 'none' && kind !== 'foreign' && !(isLimited && kind === 'unlisted')
const seesPost = (role: Role, kind: Kind, isLimited: boolean) => role === 'admin' && seesAccount(role, kind, isLimited)

/** What a response must not contain: ids and texts that the caller does not see, and did not send. */
function findLeaks(payload: string, request: string, scene: Scene, role: Role, isLimited: boolean): string[] {
  const hidden = KINDS.flatMap((kind) => {
    const { account, post, media, key, connection, webhook, event, text } = scene.resources[kind]
    // The id of the listed account is known to everybody whose key lists it.
    const names = [`${text}-of-`, ...(kind === 'listed' ? [] : [account])]
    const ids = seesAccount(role, kind, isLimited) ? [] : names
    return [
      ...ids,
      ...(seesPost(role, kind, isLimited) ? [] : [post, media, `"${text}"`]),
      key,
      connection,
      webhook,
      event,
    ]
  })
  return hidden.filter((text) => payload.includes(text) && !request.includes(text))
}

async function send(key: string, { operation, path, body, isForm }: SweptRequest) {
  const encoded = isForm ? await form([['file', IMAGES[9]!]]) : undefined
  const payload = encoded?.body ?? (body && JSON.stringify(body))
  const headers = {
    authorization: `Bearer ${key}`,
    ...(payload && { 'content-type': encoded?.type ?? 'application/json' }),
  }
  const request = { method: operation.method as 'GET', url: path, headers, ...(payload && { payload }) }
  // On a busy machine, a request may exceed its time limit.
  return until('the request is carried out', () => app.inject(request), {
    isMet: ({ statusCode }) => statusCode !== 503,
  })
}

/** A user of no organisation of the others, with an organisation and a key. */
async function createTenant() {
  const [tenant, tenantOrganization] = [newId(), newId()]
  await insertUser(db, { id: tenant, name: 'a tenant' })
  await insertOrganization(db, { id: tenantOrganization, name: 'an organisation' })
  const { id: tenantKey } = await createKey(db, { userId: tenant, name: 'a key', expiresAt: null })
  return { tenant, tenantOrganization, tenantKey }
}

/** Keys of a user with this role: one for all accounts, and one that lists an account. */
async function createKeys(role: Role, { organizationId, resources }: Scene, scope: Scope) {
  const { id: userId } = await user()
  if (role !== 'none') await upsertMembership(db, { userId, organizationId, role })
  const keyOf = async (accountIds: string[] | null) =>
    (await createKey(db, { userId, name: 'swept', expiresAt: null, scopes: [scope], accountIds })).key
  return { all: await keyOf(null), limited: await keyOf([resources.listed.account]) }
}

const IMPLIED: Partial<Record<Scope, Scope>> = { 'posts:publish': 'posts:write' }

const POST_OR_FILE = /\/(?:posts|media)\/\{id\}/

interface Caller {
  scope: Scope
  role: Role
  kind: Kind
  isLimited: boolean
}

const tenant = await createTenant()
let scene = await createScene()
let count = 0

async function findChanges(): Promise<Kind[]> {
  const hashes = await hashesOf(scene.resources)
  return KINDS.filter((kind) => hashes[kind] !== scene.hashes[kind])
}

/** What is wrong with the response to a request, and whether the operation was carried out on a resource of the organisation. */
async function sweepRequest(key: string, request: SweptRequest, caller: Caller) {
  const { scope, role, kind, isLimited } = caller
  const { 'x-required-scope': required, 'x-takes-account-lists': takesLists } = request.operation
  const { statusCode, payload, headers } = await send(key, request)
  count++
  const code = headers['x-error-code']
  const hasScope = required === undefined || scope === required || IMPLIED[scope] === required
  const isRefused = !hasScope || (isLimited && required !== undefined && !takesLists)
  const mayChange = (kind: Kind) => !isRefused && seesPost(role, kind, isLimited)

  const problems: string[] = []
  if (!hasScope && code !== 'insufficient_scope') problems.push('the scope is not required')
  if (hasScope && isRefused && code !== 'account_list') problems.push('the list of accounts is ignored')
  const leaks = findLeaks(payload, JSON.stringify(request), scene, role, isLimited)
  if (leaks.length > 0) problems.push(`the response shows ${leaks}: ${payload}`)
  const changed = hasScope ? await findChanges() : []
  const wrong = changed.filter((kind) => !mayChange(kind))
  if (wrong.length > 0) problems.push(`changes ${wrong}`)
  return {
    problems: problems.map((problem) => `${JSON.stringify({ ...caller, statusCode })}: ${problem}`),
    isCarriedOut: mayChange(kind) && (statusCode < 300 || statusCode === 409),
    isChanged: changed.length > 0,
  }
}

/** All requests of an operation by users with one role and keys with one scope. */
async function sweep({ requests }: (typeof sweptOperations)[number], scope: Scope, role: Role) {
  const problems: string[] = []
  let isCarriedOut = false
  let keys = await createKeys(role, scene, scope)
  for (const kind of KINDS) {
    const all = () => {
      const { organizationId: organization } = scene
      return requests({ ...scene.resources[kind], ...tenant, organization, platform: OAUTH_PLATFORM })
    }
    for (const index of all().keys()) {
      for (const isLimited of [false, true]) {
        const key = isLimited ? keys.limited : keys.all
        const result = await sweepRequest(key, all()[index]!, { scope, role, kind, isLimited })
        problems.push(...result.problems)
        isCarriedOut ||= result.isCarriedOut
        if (!result.isChanged) continue
        scene = await createScene()
        keys = await createKeys(role, scene, scope)
      }
    }
  }
  // Keys without the scope change nothing, which one look tells.
  const changed = await findChanges()
  if (changed.length > 0) problems.push(`changes ${changed}`)
  return { problems, isCarriedOut }
}

for (const swept of sweptOperations) {
  t.test(swept.operation.operationId, async (t) => {
    let isCarriedOut = false
    for (const scope of SCOPE_NAMES) {
      for (const role of ROLES) {
        const result = await sweep(swept, scope, role)
        t.strictSame(result.problems, [], `${scope}, ${role}`)
        isCarriedOut ||= result.isCarriedOut
      }
    }
    if (POST_OR_FILE.test(swept.operation.path)) t.ok(isCarriedOut, 'admins of the organisation can use it')
  })
}

t.test('nothing was left out', async (t) => {
  t.ok(count >= sweptOperations.length * SCOPE_NAMES.length * ROLES.length * KINDS.length * 2, `${count} requests`)
})
