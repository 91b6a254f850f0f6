import { randomInt, randomUUID } from 'node:crypto'
import type { Person } from './data.ts'
import { idAt } from './data.ts'
import { type Request, request } from './load.ts'

/** Generates the requests of one connection. Every connection has a generator of its own. */
export type Workload = (person: Person) => () => Request

const POSTS = '/api/v1/posts'

const list =
  (query = ''): Workload =>
  ({ key }) => {
    const bytes = request('GET', POSTS + query, key)
    return () => ({ bytes, status: 200 })
  }

const accounts: Workload = ({ key }) => {
  const bytes = request('GET', '/api/v1/accounts', key)
  return () => ({ bytes, status: 200 })
}

/** A post for three accounts, one of them with a caption of its own. */
export const createPostBody = ({ accountIds, mediaIds }: Pick<Person, 'accountIds' | 'mediaIds'>) => ({
  accountIds,
  ...(mediaIds.length > 0 && { mediaIds }),
  caption: `The harbour is open again. Boat ${TEXT}`,
  scheduledAt: TIME,
  accountOverrides: [{ accountId: accountIds[1], captionOverride: `Bring boats and cake. Boat ${TEXT}` }],
})

/** A text and a time that each request replaces by its own, so that no post leads to a warning about others. */
const TEXT = randomUUID()
const TIME = '2100-01-01T12:00:00Z'
const randomTime = () =>
  new Date(Date.UTC(2100 + randomInt(7_800), randomInt(12), 1 + randomInt(28), randomInt(24), randomInt(60)))
    .toISOString()
    .replace('.000Z', 'Z')

/** The texts and the time of each post are written over those of a template, which spares the client time. */
const create: Workload = (person) => {
  const template = request('POST', POSTS, person.key, createPostBody(person))
  return () => ({ bytes: withOwn(template), status: 201 })
}

/** Each request has an `Idempotency-Key` of its own as well. */
const createWithKey: Workload = (person) => {
  const template = request('POST', POSTS, person.key, createPostBody(person), [`idempotency-key: ${TEXT}`])
  return () => ({ bytes: withOwn(template), status: 201 })
}

function withOwn(template: Buffer): Buffer {
  const bytes = Buffer.from(template)
  const text = randomUUID()
  const time = randomTime()
  for (let at = bytes.indexOf(TEXT); at >= 0; at = bytes.indexOf(TEXT, at + TEXT.length)) bytes.write(text, at)
  bytes.write(time, bytes.indexOf(TIME))
  return bytes
}

/** Out of 100 requests, 70 list posts, 20 create a post, 5 list accounts and 5 delete a post. */
const mix: Workload = (person) => {
  const lists = list()(person)
  const creates = create(person)
  const listsOfAccounts = accounts(person)
  const ids: string[] = []
  const created = () => ({ ...creates(), onBody: (body: string) => void ids.push(JSON.parse(body).id) })
  let number = 0
  return () => {
    // 7 is coprime to 100: the kinds are spread evenly.
    const slot = (number++ * 7) % 100
    if (slot < 70) return lists()
    if (slot < 90) return created()
    if (slot < 95) return listsOfAccounts()
    const id = ids.shift()
    return id ? { bytes: request('DELETE', `${POSTS}/${id}`, person.key), status: 200 } : created()
  }
}

export const WORKLOADS = {
  'list 25': list(),
  create,
  'create with a key': createWithKey,
  accounts,
  mix,
} satisfies Record<string, Workload>

const DETAILS = 100

/** Reads one of the newest posts of `loadPosts`. */
const detail: Workload = ({ key }) => {
  const all = Array.from({ length: DETAILS }, (_, rank) => request('GET', `${POSTS}/${idAt(rank)}`, key))
  return () => ({ bytes: all[randomInt(DETAILS)]!, status: 200 })
}

const validate: Workload = (person) => {
  const template = request('POST', `${POSTS}/validate`, person.key, createPostBody(person))
  return () => ({ bytes: withOwn(template), status: 200 })
}

export const listAt = (offset: number) => list(`?offset=${offset}`)
export const listAfter = (cursor: string) => list(`?cursor=${cursor}`)

const get =
  (path: string | ((person: Person) => string)): Workload =>
  (person) => {
    const bytes = request('GET', `/api/v1${typeof path === 'string' ? path : path(person)}`, person.key)
    return () => ({ bytes, status: 200 })
  }

/**
 * Requests that find posts and deliveries. Each filter has one request that nearly all posts of the benchmark meet, and
 * one that no post meets: the service then reads as many posts as it may.
 */
export const FINDS: Record<string, Workload> = {
  'include=deliveries': get('/posts?include=deliveries'),
  'include=targets': get('/posts?include=targets'),
  'status, all': get('/posts?status=scheduled'),
  'status, none': get('/posts?status=published'),
  'state, all': get('/posts?state=queued'),
  'state, none': get('/posts?state=published'),
  'state=failed': get('/posts?state=failed'),
  errorCode: get('/posts?errorCode=timeout'),
  'accountId, all': get(({ accountIds }) => `/posts?accountId=${accountIds[0]}`),
  'accountId, none': get(({ accountIds }) => `/posts?accountId=${accountIds[1]}`),
  'platform, all': get('/posts?platform=sandbox'),
  'platform, none': get('/posts?platform=x'),
  'postType, none': get('/posts?postType=reel'),
  'scheduledFrom, all': get('/posts?scheduledFrom=2030-01-01T00:00:00Z'),
  'scheduledFrom and status, none': get('/posts?scheduledFrom=2030-01-01T00:00:00Z&status=draft'),
  'createdBefore, all': get('/posts?createdBefore=2025-12-31T22:00:00Z'),
  'updatedBefore, all': get('/posts?updatedBefore=2025-12-31T22:00:00Z'),
  externalReference: get('/posts?externalReference=a'),
  'q, all': get('/posts?q=lighthouse%20sea'),
  'q, one': get('/posts?q=lighthouse%20777'),
  'q, none': get('/posts?q=lighthouse%20nowhere'),
  'sort=scheduledAt': get('/posts?sort=scheduledAt'),
  'sort=updatedAt, ascending': get('/posts?sort=updatedAt&order=asc'),
  'status and platform, none': get('/posts?status=scheduled&platform=x'),
  deliveries: get('/deliveries'),
}

export const DELIVERY_FINDS: Record<string, Workload> = {
  'deliveries, state=failed': get('/deliveries?state=failed'),
  'deliveries, state, none': get('/deliveries?state=published'),
  'deliveries, accountId': get(({ accountIds }) => `/deliveries?accountId=${accountIds[0]}`),
  'deliveries, accountId, none': get(({ accountIds }) => `/deliveries?accountId=${accountIds[1]}`),
  'deliveries, scheduledFrom': get('/deliveries?scheduledFrom=2030-01-01T00:00:00Z'),
  'deliveries, changedAfter': get('/deliveries?changedAfter=2025-01-01T00:00:00Z'),
}

const ofOrganization = (path: string): Workload =>
  get(({ organizationId }) => `${path}organizationId=${organizationId}`)

/** Requests that find the posts of an organisation. */
export const ORGANIZATION_FINDS: Record<string, Workload> = {
  organizationId: ofOrganization('/posts?'),
  'organizationId and status, all': ofOrganization('/posts?status=scheduled&'),
  'organizationId and status, none': ofOrganization('/posts?status=published&'),
  'organizationId and platform, none': ofOrganization('/posts?platform=x&'),
  'organizationId and state=failed': ofOrganization('/posts?state=failed&'),
  'organizationId and accountId': get(
    ({ organizationId, accountIds }) => `/posts?organizationId=${organizationId}&accountId=${accountIds[0]}`,
  ),
  'organizationId and scheduledFrom': ofOrganization('/posts?scheduledFrom=2030-01-01T00:00:00Z&'),
  'organizationId and sort=updatedAt': ofOrganization('/posts?sort=updatedAt&'),
  'organizationId, counts by status': ofOrganization('/posts/counts?by=status&'),
  'organizationId, counts by day': ofOrganization('/posts/counts?by=day&'),
}

export const ORGANIZATION_DELIVERY_FINDS: Record<string, Workload> = {
  'organizationId, deliveries': ofOrganization('/deliveries?'),
}

/** These look at up to 10,000 posts. */
export const COUNTS: Record<string, Workload> = {
  'counts by status': get('/posts/counts?by=status'),
  'counts by state': get('/posts/counts?by=state'),
  'counts by day': get('/posts/counts?by=day&timeZone=Europe/Berlin'),
}

/** The operations that clients repeat. */
export const REPEATED: Record<string, Workload> = {
  ...WORKLOADS,
  'one post': detail,
  'include=targets': FINDS['include=targets']!,
  validate,
  deliveries: FINDS.deliveries!,
  'counts by day': COUNTS['counts by day']!,
  events: get('/events'),
}
