import { isDeepStrictEqual } from 'node:util'
import sharp from 'sharp'
import { download } from '../../helpers/adapter-calls.ts'
import type { Teardown } from '../../helpers/database.ts'
import { quotaExceeded, refuse, scopeMissing, serviceDisabled, unauthenticated } from './google-errors.ts'
import { checkContent, invalid } from './google-local-post.ts'
import { createLocations, denied } from './google-locations.ts'
import { createGoogleAuthorization, GOOGLE_OAUTH } from './google-oauth.ts'
import { type Recorded, Refused, type Reply, startFake } from './network.ts'
import { LATE_MS, type Scene, set } from './scene.ts'

export const BUSINESS_SCOPE = 'https://www.googleapis.com/auth/business.manage'

const POSTS = 'mybusiness.googleapis.com'
const LOCATIONS = 'mybusinessbusinessinformation.googleapis.com'
const ACCOUNTS = 'mybusinessaccountmanagement.googleapis.com'

const GOOGLE_BUSINESS_ORIGINS = [...[POSTS, LOCATIONS, ACCOUNTS].map((host) => `https://${host}`), GOOGLE_OAUTH]

interface GooglePost {
  name: string
  state: string
  createTime: string
  updateTime: string
  /** The body of the request. */
  content: Record<string, unknown>
  /** Reads that show it in processing. */
  looks: number
  isRefused: boolean
  /** When the list shows it, in milliseconds since 1970. */
  listedAt: number
  edits: number
}

/** Switches of what nobody documents, or what happens rarely. */
interface Switches {
  /**
   * The number of reads for which new posts are in processing; or whether they are rejected after one read, or
   * immediately.
   */
  processing: number | 'fails' | 'refused'
  listedAfterMs: number
  isShuffled: boolean
  /** Hosts of the APIs that the project has not enabled. */
  disabled: string[]
  /** Whether Google has approved the project. Its quota is 0 otherwise. */
  isApproved: boolean
  /** Whether photos have to be as large as Google demands. */
  checksPhotos: boolean
  /**
   * Whether Google refuses a post immediately if its photo cannot be fetched. Otherwise Google rejects the post later.
   */
  fetchesAtOnce: boolean
  /** Live posts have no address for this many reads. */
  addressLag: number
  download: typeof download
}

type FakeGoogleBusiness = Awaited<ReturnType<typeof startGoogleBusiness>>

const ACCOUNT = 'accounts/107504049698420000001'
const LOCATION = 'locations/12345678901234567890'

/**
 * Google Business Profile by https://developers.google.com/my-business/reference/rest (local posts, version 4), with
 * one user, one location and one app. Behaviour that no page describes is what publishers have met: the HTML page for a
 * path without an account (https://github.com/gitroomhq/postiz-app/issues/1964), the details of a refused post
 * (https://github.com/spotonlive/php-google-my-business/issues/26), a missing media format
 * (https://github.com/PipedreamHQ/pipedream/issues/7784).
 */
export async function startGoogleBusiness(t: Teardown) {
  let clock = () => new Date()
  let ids = 4_000_000_000_000_000_000n
  const authorization = createGoogleAuthorization([BUSINESS_SCOPE], () => clock())
  const world = createLocations()
  const user = 'the-user'
  world.accounts.push({ name: ACCOUNT, accountName: 'Ada Lovelace', type: 'PERSONAL', userIds: [user] })
  world.locations.push({
    name: LOCATION,
    title: 'Lighthouse Café',
    storefrontAddress: { addressLines: ['1 Harbour Street'], locality: 'Dover' },
    metadata: { canOperateLocalPost: true, placeId: 'ChIJlighthouse', mapsUri: 'https://maps.google.com/?cid=1' },
    accounts: [ACCOUNT],
  })
  /** Newest first. */
  const posts: GooglePost[] = []
  const switches: Switches = {
    processing: 1,
    listedAfterMs: 0,
    isShuffled: false,
    disabled: [],
    isApproved: true,
    checksPhotos: true,
    fetchesAtOnce: false,
    addressLag: 0,
    download,
  }

  const create = (location: string, content: Record<string, unknown>): GooglePost => {
    const { processing } = fake
    const isRefused = processing === 'fails' || processing === 'refused'
    const createTime = clock().toISOString()
    const post: GooglePost = {
      name: `${location}/localPosts/${++ids}`,
      state: processing === 'refused' ? 'REJECTED' : processing === 0 ? 'LIVE' : 'PROCESSING',
      createTime,
      updateTime: createTime,
      content,
      looks: typeof processing === 'number' ? processing : 1,
      isRefused,
      listedAt: clock().getTime() + fake.listedAfterMs,
      edits: 0,
    }
    posts.unshift(post)
    return post
  }

  /** A post in the account that the request names: a location may belong to several. */
  const shown = ({ name: created, state, createTime, updateTime, content, looks }: GooglePost, own: string) => {
    const name = `${own}/${created.split('/').at(-1)}`
    const { media, event, ...others } = content as { media?: object[]; event?: Event }
    const hasAddress = state === 'LIVE' && -looks >= fake.addressLag
    return {
      name,
      ...others,
      ...(event && { event: withoutZeros(event) }),
      state,
      createTime,
      updateTime,
      ...(media && { media: media.map(() => ({ name: `${name}/media/1`, mediaFormat: 'PHOTO', googleUrl: PHOTO })) }),
      ...(hasAddress && { searchUrl: `https://local.google.com/place?use=posts&lpsid=${name.split('/').at(-1)}` }),
    }
  }

  /** A read of the post by its name. Google goes on with its work. */
  async function look(post: GooglePost): Promise<void> {
    post.looks--
    if (post.state !== 'PROCESSING' || post.looks > 0) return
    post.state = post.isRefused || !(await canFetch(post.content)) ? 'REJECTED' : 'LIVE'
  }

  /** Whether Google gets the photo: https://support.google.com/business/answer/6103862 has its size. */
  async function canFetch({ media }: Record<string, unknown>): Promise<boolean> {
    const [photo] = (media ?? []) as { sourceUrl: string }[]
    if (!photo) return true
    const { status, type, bytes } = await fake.download(photo.sourceUrl)
    if (status !== 200 || !['image/jpeg', 'image/png'].includes(type)) return false
    if (!fake.checksPhotos) return true
    const { width = 0, height = 0 } = await sharp(bytes).metadata()
    return bytes.length >= 10_240 && width >= 250 && height >= 250
  }

  async function respondToPosts(call: Recorded, userId: string): Promise<Reply> {
    const [, account, location, id] = POST_PATH.exec(call.path) ?? []
    if (!account || !location) return PAGE_NOT_FOUND
    if (!world.mayUse(userId, account, location)) denied()
    const own = `${account}/${location}/localPosts`
    if (id === undefined && call.method === 'POST') {
      const { metadata } = world.locations.find(({ name }) => name === location)!
      if (!metadata.canOperateLocalPost) refuse(400, 'FAILED_PRECONDITION', 'Precondition check failed.')
      const content = checkContent(call.body)
      if (fake.fetchesAtOnce && !(await canFetch(content))) invalid('', 'Fetching image failed.', 1000)
      return { status: 200, body: shown(create(`${account}/${location}`, content), own) }
    }
    const ofLocation = posts.filter(({ name }) => name.includes(`/${location}/`))
    if (id === undefined && call.method === 'GET') return listOf(ofLocation, own, call)
    const post = ofLocation.find(({ name }) => name.endsWith(`/${id}`))
    if (!post) return refuse(404, 'NOT_FOUND', 'Requested entity was not found.')
    if (call.method === 'DELETE') {
      posts.splice(posts.indexOf(post), 1)
      return { status: 200, body: {} }
    }
    if (call.method === 'PATCH') edit(post, call)
    else if (call.method !== 'GET') return PAGE_NOT_FOUND
    else await look(post)
    return { status: 200, body: shown(post, own) }
  }

  /** The mask names what is replaced, and the post is processed again. */
  function edit(post: GooglePost, { query, body }: Recorded): void {
    if (!query.updateMask) refuse(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.')
    const names = query.updateMask!.split(',')
    const given = Object.fromEntries(names.map((name) => [name, (body as Record<string, unknown>)[name]]))
    const content = checkContent({ ...post.content, ...given })
    if (isDeepStrictEqual(content, post.content)) return
    const { processing } = fake
    Object.assign(post, { content, edits: post.edits + 1, updateTime: clock().toISOString() })
    post.state = processing === 'refused' ? 'REJECTED' : processing === 0 ? 'LIVE' : 'PROCESSING'
    post.looks = typeof processing === 'number' ? processing : 1
  }

  function listOf(ofLocation: GooglePost[], own: string, { query }: Recorded): Reply {
    const size = Math.min(Number(query.pageSize ?? 20), 100)
    const from = Number(query.pageToken ?? 0)
    if (!(size >= 1) || !(from >= 0)) refuse(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.')
    const listed = ofLocation.filter(({ listedAt }) => listedAt <= clock().getTime())
    if (fake.isShuffled) listed.sort((one, other) => (reversed(one.name) < reversed(other.name) ? -1 : 1))
    const page = listed.slice(from, from + size).map((post) => shown(post, own))
    const isLast = from + size >= listed.length
    return {
      status: 200,
      body: { ...(page.length > 0 && { localPosts: page }), ...(!isLast && { nextPageToken: String(from + size) }) },
    }
  }

  const network = await startFake(t, GOOGLE_BUSINESS_ORIGINS, async (call) => {
    const token = authorization.respond(call)
    if (token) return token
    const caller = authorization.callerOf(call)
    if (!caller) return unauthenticated()
    if (!caller.scopes.includes(BUSINESS_SCOPE)) scopeMissing()
    if (fake.disabled.includes(call.host)) serviceDisabled(call.host)
    if (!fake.isApproved) throw new Refused(quotaExceeded(call.host, 0))
    if (call.host === POSTS) return respondToPosts(call, caller.userId)
    const isAccounts = call.path === '/v1/accounts'
    const found = call.host === (isAccounts ? ACCOUNTS : LOCATIONS) && world.respond(call, caller.userId)
    return found || PAGE_NOT_FOUND
  })
  const { accessToken, refreshToken, access, grant } = authorization.grant(user)
  // Workers refresh tokens; most tests have none.
  access.expiresAt = clock().getTime() + 7 * 86_400_000
  const { clientId } = authorization.app
  const fake = Object.assign(network, switches, {
    authorization,
    accounts: world.accounts,
    locations: world.locations,
    posts,
    /** The credentials of the location, in its only account. */
    credentials: { accessToken, refreshToken, clientId, location: `${ACCOUNT}/${LOCATION}` },
    access,
    grant,
    visibleIds: () => posts.filter(({ state }) => state === 'LIVE').map(({ name }) => name),
    /** Somebody posts in the dashboard of the location. */
    post: (content: Record<string, unknown>) => create(`${ACCOUNT}/${LOCATION}`, content),
    setTime(time: Date) {
      clock = () => time
    },
  })
  return fake
}

const POST_PATH = /^\/v4\/(accounts\/\d+)\/(locations\/\d+)\/localPosts(?:\/([\w-]+))?$/
const PAGE_NOT_FOUND: Reply = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=UTF-8' },
  body: '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>',
}
const PHOTO = 'https://lh3.googleusercontent.com/p/AF1Qip'

const reversed = (text: string) => [...text].reverse().join('')

type Event = { schedule: Record<string, Record<string, number>> }

/** Numbers that are 0 are absent in responses. */
const withoutZeros = ({ schedule, ...event }: Event) => ({
  ...event,
  schedule: Object.fromEntries(
    Object.entries(schedule).map(([part, numbers]) => [
      part,
      Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== 0)),
    ]),
  ),
})

/** The response above a quota that ends after this many seconds. */
function throttled(seconds: number): Reply {
  return { ...quotaExceeded(POSTS, 300), headers: { 'retry-after': String(seconds) } }
}

export const googleBusinessScene: Scene<FakeGoogleBusiness> = {
  start: startGoogleBusiness,
  origins: GOOGLE_BUSINESS_ORIGINS,
  account: ({ credentials }) => ({ credentials }),
  countVisible: (google) => google.visibleIds().length,
  published: ({ posts }) => {
    const find = (id: string) => posts.find(({ name }) => name === id)
    return {
      textOf: (id) => find(id) && String(find(id)!.content.summary),
      editsOf: (id) => find(id)?.edits ?? 0,
      remove: (id) => void posts.splice(posts.indexOf(find(id)!), 1),
    }
  },
  controls: (google) => ({
    limited: throttled,
    secret: google.credentials.accessToken,
    revokeToken: () => set(google.grant, { isRevoked: true }),
    expireToken: () => set(google.access, { expiresAt: 0 }),
    showLate: () => set(google, { listedAfterMs: LATE_MS }),
    // Posts of every kind are processed.
    processes: () => true,
    process: (looks) => set<{ processing: number | 'fails' | 'refused' }>(google, { processing: looks }),
  }),
}
