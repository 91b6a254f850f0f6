import fc, { type Arbitrary } from 'fast-check'
import { json, type Operation } from '../../helpers/document.ts'
import { ids, placeholder, placeholders, UNKNOWN_ID, weighted } from './ids.ts'
import { type Expected, mutationsOf } from './mutations.ts'
import { type Json, valid } from './values.ts'

export type Body = { [key: string]: Json }

export const JSON_TYPE = { 'content-type': 'application/json' }

/** The part of a request that its body determines. */
export interface EncodedBody {
  what: string
  body: string | Buffer
  headers: Record<string, string>
  expected: Expected
}

const schemaOf = (operation: Operation) => json(operation.requestBody!).schema

/** Bodies that are valid by the schema of an operation, and that the service can mostly carry out. */
export function bodies(operation: Operation): Arbitrary<Body> {
  const generated = valid(schemaOf(operation)) as Arbitrary<Body>
  return REFINEMENTS[operation.operationId]?.(generated) ?? generated
}

/** Rules that a schema cannot express: ids that exist, and fields that belong together. */
const REFINEMENTS: Record<string, (bodies: Arbitrary<Body>) => Arbitrary<Body>> = {
  createPost: refinePosts,
  validatePost: refinePosts,
  createPosts: refineBatches,
  validatePosts: refineBatches,
  updatePost: refinePatches,
  updatePosts: (bodies) => selected(bodies).map(({ set: _, ...body }) => ({ shift: 'PT2H', ...body })),
  deletePosts: (bodies) => selected(bodies),
  // Few deliveries take other content: most retries repeat what was sent.
  retryDelivery: (bodies) => fc.oneof(weighted(3, fc.constant({})), weighted(1, bodies.map(withoutThreadMedia))),
  // Networks change few fields.
  editDelivery: (bodies) => bodies.map(({ fields: _, ...body }) => ({ text: 'A tower', ...body })),
  // A cursor belongs to the filters of an earlier request.
  retryDeliveries: (bodies) => bodies.map(({ cursor: _, ...body }) => body),
  connectAccount: (bodies) =>
    fc
      .record({
        body: bodies,
        username: fc.constantFrom(...Array.from({ length: 10 }, (_, index) => `handle-${index}`)),
        organization: fc.option(fc.oneof(weighted(4, placeholders('organization')), weighted(1, ids('organization'))), {
          freq: 2,
        }),
      })
      .map(({ body: { organizationId: _, ...body }, username, organization }) => {
        const credentials = body.credentials as Body
        if (body.platform === 'sandbox') {
          const { token: _, ...names } = credentials
          body.credentials = { ...names, username }
        }
        return { ...body, ...(organization !== null && { organizationId: organization }) }
      }),
  createConnection: (bodies) =>
    fc
      .record({ body: bodies, other: fc.nat({ max: 9 }), organization: fc.option(ids('organization'), { freq: 2 }) })
      .map(({ body: { accountId: _, organizationId: __, returnUrl: ___, ...body }, other, organization }) => ({
        ...body,
        ...(other > 0 && { platform: 'tiktok' }),
        // The only networks that check a hint.
        ...(/^(?:bluesky|mastodon)$/.test(String(body.platform)) && { hint: 'social.example' }),
        ...(organization !== null && { organizationId: organization }),
      })),
  chooseAccounts: (bodies) =>
    bodies.map(({ ids }) => ({ ids: (ids as Json[]).map((_, index) => String((index % 2) + 1)) })),
  completeConnection: () =>
    placeholders('connection').map((state) => ({
      callbackUrl: `https://postroom.example/connect/callback?code=a&state=${state}`,
    })),
  // Other keys are those of a network, and have rules of their own.
  updateAccount: (bodies) => bodies.map(({ defaultFields: _, ...body }) => body),
  // The disposable accounts are on a network that charges nothing.
  putAccountBudget: () => fc.constant({ limitUsdMicros: null }),
  putSchedule: (bodies) =>
    bodies.map(({ slots }) => ({
      timeZone: 'Europe/Berlin',
      slots: (slots as Json[]).slice(0, 1),
      skip: ['2027-01-01'],
    })),
  // One of the two is required.
  updateMedia: (bodies) => bodies.map((body) => ('focus' in body ? body : { altText: 'A tower', ...body })),
  putApp: (bodies) => bodies.map(({ organizationId: _, ...body }) => body),
  createKey: refineNewKeys,
  createUserKey: refineNewKeys,
  updateKey: refineKeys,
  createWebhook: refineWebhooks,
  updateWebhook: refineWebhookChanges,
  redeliverEvents: () => fc.constant({ from: '2026-01-01T00:00:00Z' }),
  resolveDelivery: (bodies) =>
    withAddress(bodies).map(({ url, ...body }) => (url && body.outcome === 'published' ? { ...body, url } : body)),
  // An address has to belong to the network and the account.
  markDeliveryPublished: (bodies) => bodies.map(({ url: _, ...body }) => body),
  importMedia: withAddress,
  // No schema says that a clock ends before the year 9999.
  putSandboxClock: (bodies) => bodies.filter(({ now }) => Date.parse(String(now)) < Date.UTC(9999, 0)),
}

/** Lists of accounts exclude some scopes. */
function refineKeys(bodies: Arbitrary<Body>): Arbitrary<Body> {
  return bodies.map(({ accountIds, ...body }) => {
    const scopes = body.scopes as string[] | undefined
    const isPossible = accountIds && scopes && !scopes.some((scope) => scope === 'keys:manage' || scope === 'admin')
    return isPossible ? { ...body, accountIds: [placeholder('account', 0)] } : body
  })
}

/** A new key must not be expired. */
function refineNewKeys(bodies: Arbitrary<Body>): Arbitrary<Body> {
  return refineKeys(bodies).map(({ expiresAt, ...body }) => {
    const isFuture = Date.parse(String(expiresAt)) > Date.now()
    return isFuture ? { ...body, expiresAt: expiresAt! } : body
  })
}

/** The pattern of an address cannot say which numbers are ports and addresses of hosts. */
function withAddress(bodies: Arbitrary<Body>): Arbitrary<Body> {
  return bodies.filter(({ url }) => url === undefined || URL.canParse(String(url)))
}

const HEADERS = { authorization: 'Bearer example' }

/** A URL of another host needs the headers again. */
function refineWebhookChanges(bodies: Arbitrary<Body>): Arbitrary<Body> {
  return refineWebhooks(bodies).map((body) => (body.url === undefined ? body : { ...body, headers: HEADERS }))
}

/** Accounts of the caller, and headers of the form that RFC 9110 gives them. */
function refineWebhooks(bodies: Arbitrary<Body>): Arbitrary<Body> {
  return withAddress(bodies).map(({ accountIds, headers, ...body }) => ({
    ...body,
    ...(headers !== undefined && { headers: HEADERS }),
    ...(accountIds !== undefined && { accountIds: accountIds && [placeholder('account', 0)] }),
  }))
}

function refinePosts(bodies: Arbitrary<Body>): Arbitrary<Body> {
  return fc
    .record({
      body: bodies,
      // Each account once: it may have one override only.
      accounts: fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 1, maxLength: 3 }),
      media: fc.array(ids('media'), { maxLength: 3 }),
      inaccessible: fc.oneof(
        weighted(9, fc.constant(null)),
        weighted(1, fc.constantFrom(placeholder('foreignAccount', 0), UNKNOWN_ID, 'none')),
      ),
      isPlain: fc.nat({ max: 3 }).map((one) => one > 0),
    })
    .map(({ body, accounts, media, inaccessible, isPlain }) => {
      const accountIds = accounts.map((index) => placeholder('account', index))
      if (inaccessible) accountIds.push(inaccessible)
      // Alternative texts are for files of the post.
      const { accountOverrides, threadParts, mediaIds, altTexts: _, comments, ...rest } = refineTime(body)
      const refined: Body = { ...rest, accountIds }
      // In place of a first comment, and without repetition. Most pauses of their form are too long.
      if (comments && body.firstComment === undefined && !isPlain) {
        refined.comments = (comments as Body[]).slice(0, 1).map(({ after: _, ...comment }) => comment)
      }
      if (mediaIds && !isPlain) refined.mediaIds = media
      const parts = Object.values(threadParts ?? {}).slice(0, accountIds.length) as (Json[] | null)[]
      if (threadParts !== undefined) {
        refined.threadParts = threadParts && Object.fromEntries(parts.map((part, index) => [accountIds[index]!, part]))
      }
      if (accountOverrides) {
        const overrides = (accountOverrides as Body[]).slice(0, accountIds.length)
        // A draft and a queued post have no times of accounts.
        refined.accountOverrides = overrides.map(({ scheduledAt: _, threadMedia, ...override }, index) => ({
          ...override,
          ...(threadMedia &&
            body.postType === 'thread' && { mediaIds: null, threadMedia: listsFor(parts[index], media) }),
          accountId: accountIds[index]!,
        }))
      }
      if (!isPlain) return refined
      delete refined.firstComment
      delete refined.accountOverrides
      return { ...refined, postType: 'post', caption: `plain ${String(refined.caption ?? '').slice(0, 100)}` }
    })
}

/** Files for the first of these parts, and none for the others. */
const listsFor = (parts: Json[] | null | undefined, media: Json[]): Json[] => [
  media,
  ...(parts ?? []).slice(1).map((): Json[] => []),
]

/** A post that exists may have other parts. */
const withoutThreadMedia = ({ threadMedia: _, ...override }: Body): Body => override

/** An instant, or a local time with its zone: most texts of its form are no time. */
function refineTime({ scheduledAt, timeZone: _, fold = 'later', schedule, ...body }: Body): Body {
  // A queue takes the place of a time.
  if (scheduledAt === undefined) return { ...body, ...(schedule !== undefined && { schedule }) }
  const isLocal = typeof scheduledAt === 'string' && /T[\d:.]+$/.test(scheduledAt)
  return {
    ...body,
    ...(isLocal ? { scheduledAt: '2027-10-31T02:30', timeZone: 'Europe/Berlin', fold } : { scheduledAt }),
  }
}

/** Each post of a batch as one that is sent alone. */
function refineBatches(bodies: Arbitrary<Body>): Arbitrary<Body> {
  const posts = fc.array(refinePosts(valid({ $ref: '#/components/schemas/CreatePost' }) as Arbitrary<Body>), {
    minLength: 1,
    maxLength: 3,
  })
  return fc.record({ body: bodies, posts }).map(({ body, posts }) => ({ ...body, posts }))
}

/** Changes of several posts select them by ids: filters would select those of other requests. */
const selected = (bodies: Arbitrary<Body>): Arbitrary<Body> =>
  fc
    .record({ body: bodies, ids: fc.array(placeholders('post'), { minLength: 1, maxLength: 3 }) })
    .map(({ body: { filters: _, versions: __, cursor: ___, ...body }, ids }) => ({ ...body, ids }))

/** Overrides and parts are for accounts that the patch names. Most patches are of small posts, so that they succeed. */
function refinePatches(bodies: Arbitrary<Body>): Arbitrary<Body> {
  return refinePosts(bodies).map(({ overrides, ...body }) => {
    const [first] = body.accountIds as string[]
    if (body.accountOverrides) body.accountOverrides = (body.accountOverrides as Body[]).map(withoutThreadMedia)
    if (overrides === undefined || body.accountOverrides !== undefined) return body
    const [override = null] = Object.values(overrides ?? {})
    const { scheduledAt: _, ...withoutTime } = withoutThreadMedia((override ?? {}) as Body)
    return { ...body, overrides: overrides && { [first!]: override && withoutTime } }
  })
}

/** Every invalid body with a single error that derives from a valid one. */
export const invalidBodies = (operation: Operation, body: Body): { what: string; make(): EncodedBody }[] => [
  ...mutationsOf(schemaOf(operation), body).map(({ what, json, issue }) => ({
    what,
    make: () => ({ what, body: json(), headers: JSON_TYPE, expected: issue }),
  })),
  ...malformed(body)
    .filter(({ body }) => body !== '' || operation.requestBody?.required !== false)
    .map((each) => ({ what: each.what, make: () => each })),
]

/** Bodies that are not JSON, have another content type, or contain a key twice. */
function malformed(body: Body): EncodedBody[] {
  const text = JSON.stringify(body)
  const bytes = Buffer.from(text)
  const notJson = (what: string, body: string | Buffer): EncodedBody => {
    return { what, body, headers: JSON_TYPE, expected: { code: 'invalid_json', path: [] } }
  }
  const ofType = (type: string | undefined): EncodedBody => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    return { what: `the type ${type}`, body: text, headers, expected: { code: 'invalid_content_type', path: [] } }
  }
  return [
    notJson('truncated', text.slice(0, -1)),
    notJson('a trailing comma', `${text.slice(0, -1)},}`),
    notJson('two values', `${text}${text}`),
    notJson('a byte order mark', `\ufeff${text}`),
    notJson('empty', ''),
    notJson('a form', 'caption=a'),
    notJson('invalid UTF-8', Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"\xff":1}', 'latin1')])),
    notJson('UTF-16', Buffer.from(text, 'utf16le')),
    ofType('text/plain'),
    ofType('application/x-www-form-urlencoded'),
    ofType('multipart/form-data; boundary=a'),
    ofType('application/jsonp'),
    ofType(undefined),
    ...duplicateKeys(body),
  ]
}

/** JSON does not define the meaning of a duplicate key. JavaScript takes the last one. */
function duplicateKeys(body: Body): EncodedBody[] {
  // Below, a number is invalid.
  const name = Object.keys(body).find((name) => typeof body[name] !== 'number' && name !== 'limitUsdMicros')
  if (name === undefined) return []
  const text = JSON.stringify(body)
  const member = (value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`
  const first = `{${member([[]])},${text.slice(1)}`
  const last = `${text.slice(0, -1)},${member(5)}}`
  return [
    { what: 'a key twice, the last one valid', body: first, headers: JSON_TYPE, expected: 'valid' },
    {
      what: 'a key twice, the last one invalid',
      body: last,
      headers: JSON_TYPE,
      expected: { code: 'invalid_type', path: [name] },
    },
  ]
}
