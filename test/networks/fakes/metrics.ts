import type { PlatformId } from '../../../schemas/platform.ts'
import type { Teardown } from '../../helpers/database.ts'
import { PAGE_ID } from './facebook.ts'
import { errorBody } from './meta.ts'
import { type FakeNetwork, type Recorded, Refused, type Reply, startFake } from './network.ts'
import { missing } from './x-replies.ts'

/** The numbers of one post, under the names of its network. Names that are missing here are left out of responses. */
export type Numbers = Record<string, number>

interface Store {
  /** By id. A post that is missing here does not exist. */
  posts: Map<string, Numbers>
  /** Videos of Facebook, by ids of their own, and the `post_id` of each; undefined until it is known. */
  videos: Map<string, string | undefined>
  /** Instagram shows no insights of a story that few people have seen. */
  hasFewViewers?: boolean
  /** Names that the network has retired: it refuses a call with one of them. */
  retired: Set<string>
  /** Every response, in place of numbers. */
  odd?: Reply
  /** Ids of posts that the network refuses to show, and how. A list of X has the body among its errors. */
  refused: Map<string, Reply & { body: object }>
}

interface Scene {
  origin: string
  /** The path of the calls that read numbers. */
  path: RegExp
  /** The most posts of one call. */
  postsMax: number
  respond(call: Recorded, store: Store, id: string): Reply
}

const listed = (text: string | undefined) => (text ?? '').split(',').filter(Boolean)

const pick = (numbers: Numbers, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => name in numbers).map((name) => [name, numbers[name]]))

const found = (ids: readonly string[], { posts }: Store) =>
  ids.filter((id) => posts.has(id)).map((id) => [id, posts.get(id)!] as const)

/** The object does not exist: https://developers.facebook.com/docs/graph-api/guides/error-handling */
const absent = (): never => {
  const message = "Unsupported get request. Object with ID '1' does not exist"
  throw new Refused({ status: 400, body: errorBody(100, message, { subcode: 33, type: 'GraphMethodException' }) })
}

const invalid = (message: string): never => {
  throw new Refused({ status: 400, body: errorBody(100, message) })
}

/** https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/insights, and that of Threads */
function insights(call: Recorded, { posts, retired, hasFewViewers }: Store, id: string): Reply {
  const numbers = posts.get(id) ?? absent()
  if (hasFewViewers) {
    return { status: 400, body: errorBody(10, '(#10) Not enough viewers for the media to show insights') }
  }
  const names = listed(call.query.metric)
  const index = names.findIndex((name) => retired.has(name))
  if (index >= 0) invalid(`(#100) metric[${index}] must be one of the following values: likes, comments`)
  const data = names
    .filter((name) => name in numbers)
    .map((name) => ({ name, period: 'lifetime', values: [{ value: numbers[name] }], id: `${id}/insights/${name}` }))
  return { status: 200, body: { data } }
}

function fieldsOf(call: Recorded, { posts, retired }: Store, id: string): Reply {
  const numbers = posts.get(id) ?? absent()
  const names = listed(call.query.fields).map((field) => /^\w+/.exec(field)![0])
  const unknown = names.find((name) => retired.has(name))
  if (unknown) invalid(`(#100) Tried accessing nonexisting field (${unknown})`)
  return { status: 200, body: { id, ...pick(numbers, names) } }
}

/** https://developers.facebook.com/docs/graph-api/reference/page-post/ */
function facebookFields(call: Recorded, store: Store, id: string): Reply {
  const { body } = fieldsOf(call, store, id) as { body: Numbers }
  const summary = (name: string) => name in body && { [name]: { data: [], summary: { total_count: body[name] } } }
  // Facebook leaves a zero out.
  const shares = body.shares ? { shares: { count: body.shares } } : {}
  return { status: 200, body: { id, ...summary('reactions'), ...summary('comments'), ...shares } }
}

/** The node of a video has other fields, and insights on an edge of their own. */
function facebookVideo(call: Recorded, id: string, postId: string | undefined): Reply {
  if (call.path.endsWith('/insights')) invalid('(#100) The value must be a valid insights metric')
  const names = listed(call.query.fields)
  const unknown = names.find((name) => !['id', 'status', 'post_id', 'permalink_url'].includes(name))
  if (unknown) invalid(`(#100) Tried accessing nonexisting field (${/^\w+/.exec(unknown)![0]})`)
  return { status: 200, body: { id, ...(names.includes('post_id') && postId && { post_id: postId }) } }
}

const problemOf = ({ refused }: Store, id: string) => ({ ...missing(id), ...refused.get(id)?.body })

const SCENES: Partial<Record<PlatformId, Scene>> = {
  // https://developers.google.com/youtube/v3/docs/videos: counts are texts.
  youtube: {
    origin: 'https://www.googleapis.com',
    path: /^\/youtube\/v3\/videos$/,
    postsMax: 50,
    respond: ({ query }, store) => {
      const items = found(listed(query.id), store).map(([id, numbers]) => ({
        kind: 'youtube#video',
        id,
        statistics: Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
      }))
      return { status: 200, body: { kind: 'youtube#videoListResponse', items } }
    },
  },
  // https://www.reddit.com/dev/api#GET_api_info
  reddit: {
    origin: 'https://oauth.reddit.com',
    path: /^\/api\/info$/,
    postsMax: 100,
    respond: ({ query }, store) => {
      const children = found(listed(query.id), store).map(([name, numbers]) => ({
        kind: 't3',
        data: { name, author: 'ada', removed_by_category: null, ...numbers },
      }))
      return { status: 200, body: { kind: 'Listing', data: { children } } }
    },
  },
  // https://docs.discord.com/developers/resources/webhook#get-webhook-message
  discord: {
    origin: 'https://discord.com',
    path: /^\/api\/v10\/webhooks\/\d+\/[\w-]+\/messages\/(\d+)$/,
    postsMax: 1,
    respond: ({ query }, { posts }, id) => {
      const numbers = posts.get(id)
      // The thread was deleted, and its messages with it.
      if (!numbers && query.thread_id) return { status: 404, body: { message: 'Unknown Channel', code: 10003 } }
      if (!numbers) return { status: 404, body: { message: 'Unknown Message', code: 10008 } }
      const [first = 0, ...others] = numbers.reactions === undefined ? [] : [numbers.reactions - 1, 1]
      const reactions = [first, ...others].map((count) => ({ count, emoji: { id: null, name: '🐋' } }))
      return { status: 200, body: { id, content: '', ...(others.length > 0 && { reactions }) } }
    },
  },
  facebook: {
    origin: 'https://graph.facebook.com',
    path: new RegExp(`^/v\\d+\\.0/(?!${PAGE_ID}$)([\\d_]+)(?:/insights)?$`),
    postsMax: 1,
    respond: (call, store, id) => {
      if (store.videos.has(id)) return facebookVideo(call, id, store.videos.get(id))
      return call.path.endsWith('/insights') ? insights(call, store, id) : facebookFields(call, store, id)
    },
  },
  instagram: {
    origin: 'https://graph.instagram.com',
    path: /^\/v\d+\.0\/(\d+)(?:\/insights)?$/,
    postsMax: 1,
    respond: (call, store, id) =>
      call.path.endsWith('/insights') ? insights(call, store, id) : fieldsOf(call, store, id),
  },
  threads: {
    origin: 'https://graph.threads.net',
    path: /^\/v1\.0\/(\d+)(?:\/insights)?$/,
    postsMax: 1,
    respond: (call, store, id) =>
      call.path.endsWith('/insights') ? insights(call, store, id) : fieldsOf(call, store, id),
  },
  // https://docs.x.com/x-api/posts/get-posts-by-ids
  x: {
    origin: 'https://api.x.com',
    path: /^\/2\/tweets$/,
    postsMax: 100,
    respond: ({ query }, store) => {
      const ids = listed(query.ids)
      const hasMetrics = listed(query['tweet.fields']).includes('public_metrics')
      const data = found(ids, store).map(([id, numbers]) => ({ id, ...(hasMetrics && { public_metrics: numbers }) }))
      const errors = ids.filter((id) => !store.posts.has(id)).map((id) => problemOf(store, id))
      return { status: 200, body: { ...(data.length > 0 && { data }), ...(errors.length > 0 && { errors }) } }
    },
  },
  // https://developers.tiktok.com/doc/tiktok-api-v2-video-query
  tiktok: {
    origin: 'https://open.tiktokapis.com',
    path: /^\/v2\/video\/query\/$/,
    postsMax: 20,
    respond: ({ body, query }, store) => {
      const { filters } = body as { filters: { video_ids: string[] } }
      const names = listed(query.fields)
      // https://developers.tiktok.com/doc/tiktok-api-v2-error-handling
      const unknown = names.find((name) => store.retired.has(name))
      if (unknown) {
        const message = `Fields are invalid: ${unknown}`
        return { status: 400, body: { error: { code: 'invalid_params', message, log_id: '1' } } }
      }
      const videos = found(filters.video_ids, store).map(([id, numbers]) => ({ id, ...pick(numbers, names) }))
      return { status: 200, body: { data: { videos }, error: { code: 'ok', message: '', log_id: '1' } } }
    },
  },
  // https://developers.pinterest.com/docs/api/v5/pins-analytics
  pinterest: {
    origin: 'https://api.pinterest.com',
    path: /^\/v5\/pins\/(\d+)\/analytics$/,
    postsMax: 1,
    respond: ({ query }, { posts, retired }, id) => {
      const numbers = posts.get(id)
      if (!numbers) return { status: 404, body: { code: 50, message: 'Pin not found.' } }
      if (!/^\d{4}-\d\d-\d\d$/.test(query.start_date ?? '')) throw new Error('start_date is required')
      const names = listed(query.metric_types)
      const unknown = names.find((name) => retired.has(name))
      if (unknown) return { status: 400, body: { code: 1, message: `Invalid metric type: ${unknown}` } }
      const totals = names.filter((name) => name.startsWith('TOTAL_'))
      const sums = names.filter((name) => !totals.includes(name))
      const all = { summary_metrics: pick(numbers, sums), lifetime_metrics: pick(numbers, totals), daily_metrics: [] }
      return { status: 200, body: { all } }
    },
  },
  // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/share-statistics, and
  // …/members/post-statistics
  linkedin: {
    origin: 'https://api.linkedin.com',
    path: /^\/rest\/(?:organizationalEntityShareStatistics|memberCreatorPostAnalytics)$/,
    postsMax: 1,
    respond: ({ query, path, headers }, { posts, retired }) => {
      if (!headers['linkedin-version']) return { status: 400, body: { message: 'A version is required' } }
      const list = `${query.shares ?? ''}${query.ugcPosts ?? ''}${query.entity ?? ''}`
      const [urn = ''] = /urn:li:\w+:\d+/.exec(decodeURIComponent(list)) ?? []
      const numbers = posts.get(urn)
      if (path.endsWith('ShareStatistics')) {
        const elements = numbers ? [{ share: urn, totalShareStatistics: numbers }] : []
        return { status: 200, body: { elements, paging: { start: 0, count: 10 } } }
      }
      const name = query.queryType ?? ''
      if (retired.has(name)) return { status: 400, body: { status: 400, message: `Invalid query type ${name}` } }
      const elements = numbers && name in numbers ? [{ count: numbers[name], metricType: name }] : []
      return { status: 200, body: { elements } }
    },
  },
}

export const MEASURED = Object.keys(SCENES) as PlatformId[]

/** The calls that read numbers, of all networks whose own fakes do not have them. */
export async function startMetrics(t: Teardown) {
  const stores = Object.fromEntries(
    MEASURED.map((id): [PlatformId, Store] => [
      id,
      { posts: new Map(), videos: new Map(), retired: new Set(), refused: new Map() },
    ]),
  )
  const sceneOf = (url: URL) => MEASURED.find((id) => isOf(SCENES[id]!, url))
  const isOf = ({ origin, path }: Scene, url: URL) => url.origin === origin && path.test(url.pathname)
  const origins = Object.values(SCENES).map(({ origin }) => origin)
  const fake: FakeNetwork = await startFake(t, origins, (call) => {
    const url = new URL(call.path, `https://${call.host}`)
    const platform = sceneOf(url)!
    const isPublic = platform === 'discord'
    if (!isPublic && !call.headers.authorization && !call.query.access_token) return { status: 401, body: {} }
    const [, id = ''] = SCENES[platform]!.path.exec(call.path)!
    const store = stores[platform]!
    return store.odd ?? store.refused.get(id) ?? SCENES[platform]!.respond(call, store, id)
  })
  return {
    ...fake,
    storeOf: (platform: PlatformId) => stores[platform]!,
    /** Whether a call reads numbers of posts that a test has added. */
    takes: (input: Parameters<typeof fetch>[0], init: RequestInit | undefined) => {
      const url = new URL(String(input))
      const platform = sceneOf(url)
      const isQuery = url.pathname.startsWith('/v2/video/query') || (init?.method ?? 'GET') === 'GET'
      return (
        platform !== undefined && isQuery && (stores[platform]!.posts.size > 0 || stores[platform]!.retired.size > 0)
      )
    },
  }
}
