import type { Teardown } from '../../helpers/database.ts'
import { type FakeLinkedinMedia, type LinkedinAsset, serveMedia } from './linkedin-media.ts'
import { type FakeLinkedinOAuth, serveOAuth } from './linkedin-oauth.ts'
import { type LinkedinPost, servePosts } from './linkedin-posts.ts'
import { type FakeNetwork, type Recorded, Refused, type Reply, startFake } from './network.ts'
import { has, LATE_MS, type Scene, set } from './scene.ts'

export interface LinkedinToken {
  member: string
  scopes: Set<string>
  status: 'active' | 'expired' | 'revoked'
  /** Number of calls for which a token that was just issued is refused as revoked. */
  refusals: number
}

interface LinkedinComment {
  id: string
  actor: string
  object: string
  text: string
  createdAt: number
  edits: number
}

/** The state that the parts of the fake share. */
export interface LinkedinState {
  tokens: Map<string, LinkedinToken>
  members: Map<string, { firstName: string; lastName: string }>
  organizations: Map<string, { name: string; vanityName: string; roles: Map<string, string> }>
  assets: Map<string, LinkedinAsset>
  /** Newest first. */
  posts: LinkedinPost[]
  comments: LinkedinComment[]
  clock(): Date
  /** Ids begin with the time of their creation. */
  nextId(): string
}

/** Switches of what nobody documents, or what happens rarely. */
interface LinkedinSwitches {
  /** How long a post is not listed after it was made. */
  listedAfterMs: number
  /** Number of calls for which a new post cannot be commented on. */
  commentRefusals: number
  /** The kind in the URNs of posts; null for `ugcPost` with a video or poll, and `share` else. No page says which. */
  postKind: 'share' | 'ugcPost' | null
  /** Whether lists show files by the URNs of their uploads, which no page promises. */
  keepsUrns: boolean
  /** Calls that the member has left today; null for any number. */
  quota: number | null
}

export interface FakeLinkedin
  extends FakeNetwork,
    Pick<LinkedinState, 'tokens' | 'organizations' | 'assets' | 'posts' | 'comments'>,
    LinkedinSwitches,
    FakeLinkedinMedia,
    FakeLinkedinOAuth {
  /** The credentials of the member, with every scope. */
  member: Record<string, string>
  /** The credentials of an organization that the member administers. */
  organization: Record<string, string>
  setTime(time: Date): void
}

const API = 'https://api.linkedin.com'
const WWW = 'https://www.linkedin.com'
const MEMBER = 'urn:li:person:Yr-Zc_p2'
const ORGANIZATION = 'urn:li:organization:5515715'
const VERSIONS = ['202601', '202603', '202606', '202609']

/** All scopes of the product Community Management API. */
export const ALL_SCOPES = [
  'r_basicprofile',
  'w_member_social',
  'w_organization_social',
  'r_organization_social',
  'rw_organization_admin',
]

/** https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling */
export function refuse(status: number, code: string, message: string, more: object = {}): never {
  throw new Refused({ status, body: { status, code, message, ...more } })
}

/**
 * An error of a field: https://learn.microsoft.com/en-us/linkedin/marketing/error-responses. The inner `input` is a
 * guess.
 */
export const refuseField = (code: string, fieldPath: string, message: string): never =>
  refuse(400, code, message, {
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    errorDetails: { inputErrors: [{ code, description: message, input: { inputPath: { fieldPath } } }] },
  })

export const forbidden = (what: string): never =>
  refuse(403, 'ACCESS_DENIED', `Not enough permissions to access: ${what}`, { serviceErrorCode: 100 })

/** https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/rate-limits */
export const throttled = (message: string, headers: Record<string, string> = {}): Reply => ({
  status: 429,
  headers,
  body: { status: 429, code: 'TOO_MANY_REQUESTS', serviceErrorCode: 101, message },
})

/**
 * LinkedIn as the pages under https://learn.microsoft.com/en-us/linkedin/marketing/ describe it: members,
 * organizations, posts, comments, images, videos, and OAuth. The words of refusals are those that its pages and users
 * quote; others are this fake's own.
 */
export async function startLinkedin(t: Teardown): Promise<FakeLinkedin> {
  let clock = () => new Date()
  let count = 0n
  const state: LinkedinState = {
    tokens: new Map([
      ['li-t0ken_of_alice', { member: MEMBER, scopes: new Set(ALL_SCOPES), status: 'active', refusals: 0 }],
    ]),
    members: new Map([[MEMBER, { firstName: 'Alice', lastName: 'Archer' }]]),
    organizations: new Map([
      [ORGANIZATION, { name: 'Acme Corp', vanityName: 'acme', roles: new Map([[MEMBER, 'ADMINISTRATOR']]) }],
    ]),
    assets: new Map(),
    posts: [],
    comments: [],
    clock: () => clock(),
    nextId: () => String((BigInt(clock().getTime()) << 22n) + ++count),
  }
  const switches: LinkedinSwitches = {
    listedAfterMs: 0,
    commentRefusals: 0,
    postKind: null,
    keepsUrns: true,
    quota: null,
  }
  const media = serveMedia(state)
  const oauth = serveOAuth(state)
  const posts = servePosts(state, () => fake)

  const api = (call: Recorded): Reply => {
    const token = tokenOf(call, state)
    if (call.path.startsWith('/rest/')) checkHeaders(call)
    if (fake.quota !== null && --fake.quota < 0) {
      throw new Refused(throttled('Resource level throttle APPLICATION_AND_MEMBER DAY limit for calls is reached.'))
    }
    return posts(call, token) ?? media.respond(call, token) ?? people(call, token, state) ?? notFound()
  }
  const base = await startFake(t, API, (call) => oauth.respond(call) ?? media.receive(call) ?? api(call))

  const credentials = { accessToken: 'li-t0ken_of_alice', member: MEMBER, scopes: ALL_SCOPES.join(' ') }
  const fake: FakeLinkedin = Object.assign(base, state, switches, media.switches, oauth.switches, {
    // Pages and uploads are on another host, whose paths differ from those of the API.
    fetch: ((input, init) => {
      const { origin, href } = new URL(String(input))
      if (origin !== API && origin !== WWW) throw new Error(`${href} is not at LinkedIn`)
      return fetch(href.replace(origin, base.address), init)
    }) as typeof fetch,
    member: { ...credentials, author: MEMBER },
    organization: { ...credentials, author: ORGANIZATION },
    setTime: (time: Date) => {
      clock = () => time
    },
  })
  media.use(fake)
  oauth.use(fake)
  return fake
}

const notFound = (): never => refuse(404, 'NOT_FOUND', 'No virtual resource found')

function tokenOf({ headers }: Recorded, { tokens }: LinkedinState): LinkedinToken {
  const [, bearer] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
  if (bearer === undefined) return refuse(401, 'EMPTY_ACCESS_TOKEN', 'Empty oauth2 access token')
  const token = tokens.get(bearer)
  const revoked = 'The token used in the request has been revoked by the user'
  if (!token) return refuse(401, 'INVALID_ACCESS_TOKEN', 'Invalid access token', { serviceErrorCode: 65600 })
  if (token.refusals-- > 0) refuse(401, 'REVOKED_ACCESS_TOKEN', revoked, { serviceErrorCode: 65601 })
  if (token.status === 'revoked') refuse(401, 'REVOKED_ACCESS_TOKEN', revoked, { serviceErrorCode: 65601 })
  if (token.status === 'expired') {
    refuse(401, 'EXPIRED_ACCESS_TOKEN', 'The token used in the request has expired', { serviceErrorCode: 65602 })
  }
  return token
}

/** https://learn.microsoft.com/en-us/linkedin/marketing/versioning */
function checkHeaders({ headers, path, method, body }: Recorded): void {
  const version = headers['linkedin-version']
  if (version === undefined) {
    const message = 'A version must be present. Please specify a version by adding the Linkedin-Version header.'
    refuse(400, 'VERSION_MISSING', message)
  }
  if (!VERSIONS.includes(String(version))) {
    refuse(426, 'NONEXISTENT_VERSION', `Requested version ${version} is not active`)
  }
  if (headers['x-restli-protocol-version'] !== '2.0.0') refuse(400, 'ILLEGAL_ARGUMENT', 'Invalid Rest.li protocol')
  if (path.includes(':')) refuse(400, 'ILLEGAL_ARGUMENT', 'Invalid key: a URN in a path has to be encoded')
  if (method === 'POST' && body === undefined) refuse(400, 'ILLEGAL_ARGUMENT', 'Cannot parse request entity')
}

/**
 * Whether a member may act for an author:
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-access-control-by-role
 */
export function mayActFor(author: unknown, { member, scopes }: LinkedinToken, { organizations }: LinkedinState) {
  if (author === member) return scopes.has('w_member_social')
  const role = organizations.get(String(author))?.roles.get(member)
  return scopes.has('w_organization_social') && ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR'].includes(role ?? '')
}

/** Members, organizations and roles. */
function people(call: Recorded, { member, scopes }: LinkedinToken, state: LinkedinState): Reply | undefined {
  const { method, path, query } = call
  const { firstName, lastName } = state.members.get(member)!
  const id = member.replace('urn:li:person:', '')
  if (method !== 'GET') return undefined
  // https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
  if (path === '/v2/userinfo') {
    if (!scopes.has('openid') || !scopes.has('profile')) forbidden('userinfo.GET.NO_VERSION')
    const name = `${firstName} ${lastName}`
    return { status: 200, body: { sub: id, name, given_name: firstName, family_name: lastName } }
  }
  // https://learn.microsoft.com/en-us/linkedin/shared/integrations/people/profile-api
  if (path === '/v2/me') {
    if (!scopes.has('r_basicprofile')) forbidden('me.GET.NO_VERSION')
    const body = { id, localizedFirstName: firstName, localizedLastName: lastName, vanityName: 'alice-archer' }
    return { status: 200, body }
  }
  const mayReadRoles = scopes.has('rw_organization_admin') || scopes.has('r_organization_admin')
  if (path === '/rest/organizationAcls') {
    if (!mayReadRoles) forbidden('organizationAcls.FINDER-roleAssignee.20260901')
    if (query.q !== 'roleAssignee') refuse(400, 'ILLEGAL_ARGUMENT', 'Unknown finder')
    const roles = [...state.organizations].flatMap(([organization, { roles }]) => {
      const role = roles.get(member)
      return role ? [{ organization, role, roleAssignee: member, state: 'APPROVED' }] : []
    })
    const [start, count] = [Number(query.start ?? 0), Number(query.count ?? 10)]
    const elements = roles.slice(start, start + count)
    return { status: 200, body: { elements, paging: { start, count, links: [] } } }
  }
  const [, number] = /^\/rest\/organizations\/(\d+)$/.exec(path) ?? []
  if (number === undefined) return undefined
  if (!mayReadRoles) forbidden('organizations.GET.20260901')
  const organization = state.organizations.get(`urn:li:organization:${number}`)
  if (!organization) return notFound()
  const { name, vanityName } = organization
  return { status: 200, body: { id: Number(number), localizedName: name, vanityName } }
}

export const linkedinScene: Scene<FakeLinkedin> = {
  start: startLinkedin,
  origins: ['https://api.linkedin.com', 'https://www.linkedin.com'],
  account: (linkedin) => ({ username: 'acme', credentials: linkedin.organization, externalId: ORGANIZATION }),
  countVisible: ({ posts, comments }) => posts.filter(({ isDeleted }) => !isDeleted).length + comments.length,
  published: (linkedin) => {
    const findPost = (id: string) => linkedin.posts.find((post) => post.id === id && !post.isDeleted)
    const findComment = (id: string) => linkedin.comments.find((comment) => id.endsWith(`,${comment.id})`))
    return {
      textOf: (id) => (findPost(id) ?? findComment(id))?.text,
      editsOf: (id) => (findPost(id) ?? findComment(id))?.edits ?? 0,
      remove: (id) => void Object.assign(findPost(id)!, { isDeleted: true }),
    }
  },
  knownFields: { linkImageUrl: ['https://images.example/a.jpg'] },
  controls: (linkedin) => {
    const token = linkedin.tokens.get(linkedin.member.accessToken!)!
    return {
      limited: (seconds) => throttled('Resource level throttle', { 'retry-after': String(seconds) }),
      secret: linkedin.member.accessToken!,
      // A 403 to a comment is about its post.
      unauthorized: [401],
      revokeToken: () => set(token, { status: 'revoked' }),
      expireToken: () => set(token, { status: 'expired' }),
      showLate: () => set(linkedin, { listedAfterMs: LATE_MS }),
      processes: has('image', 'video'),
      process(looks) {
        const processing = looks === 'fails' ? 'The file is damaged' : looks
        return set(linkedin, { processing, imageProcessing: processing })
      },
    }
  },
}
