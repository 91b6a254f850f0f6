import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import t from 'tap'
import { newId } from '../../db/id.ts'
import { insertOrganization, insertUser, upsertMembership } from '../../db/queries/people.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { createConnection, createFuzzWorld, OAUTH_PLATFORM } from '../faults/fuzz/caller.ts'
import { IMAGES } from '../faults/fuzz/forms.ts'
import type { Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { readAllEvents } from '../helpers/events.ts'
import { until } from '../helpers/until.ts'
import { form, upload } from '../helpers/upload.ts'
import { type Named, type SweptRequest, sweptOperations } from './sweep-requests.ts'

/*
 * Sends every operation of the OpenAPI document, with keys of every scope that allows it, by users of every role. The
 * account is that of another user, or one of the organisation that the key lists or does not list. No response shows
 * what the caller may not see, and nothing changes that the caller may not change. Keys of other scopes are rejected.
 */

const ROLES = ['none', 'member', 'admin'] as const
const KINDS = ['foreign', 'listed', 'unlisted'] as const
type Role = (typeof ROLES)[number]
type Kind = (typeof KINDS)[number]
type Resource = Omit<Named, 'organization' | `tenant${string}` | 'platform'> & { text: string }

const { app, db, organization, ...world } = await createFuzzWorld(t)
const organizationId = await organization()

async function createMember(role: Role): Promise<Person> {
  const person = repeating(await world.user())
  if (role !== 'none') await upsertMembership(db, { userId: person.id, organizationId, role })
  return person
}

/**
 * Creates the resources of one account: a post with a file, a key, a connection and a webhook. Each text names the
 * kind.
 */
async function createResource(kind: Kind): Promise<Resource> {
  const owner = await createMember('member')
  const text = `the-${kind}-one`
  const username = `${text}-of-${newId()}`
  const account = await owner.account('sandbox', { username, ...(kind !== 'foreign' && { organizationId }) })
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

const resources = {} as Record<Kind, Resource>
let hashes: Record<Kind, string>

/** Creates the resources of these kinds, in place of those that a request has changed. */
async function renew(kinds: readonly Kind[]): Promise<void> {
  for (const kind of kinds) resources[kind] = await createResource(kind)
  hashes = await readHashes()
}

/** A hash of everything that is stored of each resource. */
async function readHashes(): Promise<Record<Kind, string>> {
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

/** Lists the ids and texts in a response that the caller does not see, and did not send. */
function findLeaks(payload: string, request: string, role: Role, isLimited: boolean): string[] {
  const hidden = KINDS.flatMap((kind) => {
    const { account, post, media, key, connection, webhook, event, text } = resources[kind]
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

const people = {} as Record<Role, Person>
for (const role of ROLES) people[role] = await createMember(role)
const keys = new Map<string, string>()

/** A key with this scope of the user with this role: for all accounts, or one that lists an account. */
async function keyOf(role: Role, scope: Scope, isLimited: boolean): Promise<string> {
  const accountIds = isLimited ? [resources.listed.account] : null
  const name = [role, scope, accountIds].join(' ')
  const options = { userId: people[role].id, name: 'swept', expiresAt: null, scopes: [scope], accountIds }
  const key = keys.get(name) ?? (await createKey(db, options)).key
  keys.set(name, key)
  return key
}

const IMPLIED: Partial<Record<Scope, Scope>> = { 'posts:publish': 'posts:write' }

const allows = (scope: Scope, required: string | undefined) =>
  required === undefined || scope === required || IMPLIED[scope] === required

const POST_OR_FILE = /\/(?:posts|media)\/\{id\}/

interface Caller {
  role: Role
  kind: Kind
  isLimited: boolean
}

/**
 * Every combination of role, resource and key. Without a list, the accounts of the organisation are alike; with one,
 * the unlisted account is beyond a user of no role in any case.
 */
const CALLERS: Caller[] = ROLES.flatMap((role) =>
  KINDS.flatMap((kind) => [false, true].map((isLimited) => ({ role, kind, isLimited }))),
).filter(({ role, kind, isLimited }) => kind !== 'unlisted' || (isLimited && role !== 'none'))

const tenant = await createTenant()
await renew(KINDS)
let count = 0

type Swept = (typeof sweptOperations)[number]

const requestsFor = ({ requests }: Swept, kind: Kind) =>
  requests({ ...resources[kind], ...tenant, organization: organizationId, platform: OAUTH_PLATFORM })

async function findChanges(): Promise<Kind[]> {
  const now = await readHashes()
  return KINDS.filter((kind) => now[kind] !== hashes[kind])
}

/**
 * Lists the problems of the responses to keys that a hook rejects before everything else, for every request and caller.
 */
async function sweepRefused(swept: Swept): Promise<string[]> {
  const { 'x-required-scope': required, 'x-takes-account-lists': takesLists } = swept.operation
  if (required === undefined) return []
  const [request] = requestsFor(swept, 'listed')
  const problems: string[] = []
  const expectCode = async (scope: Scope, isLimited: boolean, expected: string) => {
    const { headers, statusCode, payload } = await send(await keyOf('admin', scope, isLimited), request!)
    count++
    if (headers['x-error-code'] === expected) return
    problems.push(`${JSON.stringify({ scope, isLimited })}: expected ${expected}, got ${statusCode} ${payload}`)
  }
  for (const scope of SCOPE_NAMES) {
    if (!allows(scope, required)) await expectCode(scope, false, 'insufficient_scope')
    else if (!takesLists) await expectCode(scope, true, 'account_list')
  }
  const changed = await findChanges()
  if (changed.length > 0) problems.push(`refused requests change ${changed}`)
  return problems
}

/** Sends a request. Returns the problems of the response, and the resources that it has changed. */
async function sweepRequest(request: SweptRequest, scope: Scope, caller: Caller) {
  const { role, kind, isLimited } = caller
  const { statusCode, payload } = await send(await keyOf(role, scope, isLimited), request)
  count++
  const problems: string[] = []
  // An earlier request may have ended the key.
  if (statusCode === 401) problems.push(`the key is rejected: ${payload}`)
  const leaks = findLeaks(payload, JSON.stringify(request), role, isLimited)
  if (leaks.length > 0) problems.push(`the response shows ${leaks}: ${payload}`)
  const changed = await findChanges()
  const wrong = changed.filter((kind) => !seesPost(role, kind, isLimited))
  if (wrong.length > 0) problems.push(`changes ${wrong}`)
  return {
    problems: problems.map((problem) => `${JSON.stringify({ scope, ...caller, statusCode })}: ${problem}`),
    isCarriedOut: seesPost(role, kind, isLimited) && (statusCode < 300 || statusCode === 409),
    changed,
  }
}

/** All requests of an operation by one caller, but those that name nothing and so are those of the first kind. */
async function sweepCaller(swept: Swept, scope: Scope, caller: Caller) {
  const { kind } = caller
  const problems: string[] = []
  let isCarriedOut = false
  for (const index of requestsFor(swept, kind).keys()) {
    const request = requestsFor(swept, kind)[index]!
    if (kind !== KINDS[0] && isDeepStrictEqual(request, requestsFor(swept, KINDS[0])[index])) continue
    const result = await sweepRequest(request, scope, caller)
    problems.push(...result.problems)
    isCarriedOut ||= result.isCarriedOut
    if (result.changed.length > 0) await renew(result.changed)
  }
  return { problems, isCarriedOut }
}

for (const swept of sweptOperations) {
  const { operationId, path, 'x-required-scope': required, 'x-takes-account-lists': takesLists } = swept.operation
  t.test(operationId, async (t) => {
    const problems = await sweepRefused(swept)
    let isCarriedOut = false
    for (const scope of SCOPE_NAMES.filter((scope) => allows(scope, required))) {
      for (const caller of CALLERS.filter(({ isLimited }) => !isLimited || takesLists || required === undefined)) {
        const result = await sweepCaller(swept, scope, caller)
        problems.push(...result.problems)
        isCarriedOut ||= result.isCarriedOut
      }
    }
    t.strictSame(problems, [])
    if (POST_OR_FILE.test(path)) t.ok(isCarriedOut, 'admins of the organisation can use it')
  })
}

t.test('nothing was left out', async (t) => {
  t.ok(count >= sweptOperations.length * (SCOPE_NAMES.length - 1 + ROLES.length), `${count} requests`)
})
