import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Teardown } from '../../helpers/database.ts'
import { type FakeNetwork, type Recorded, Refused, type Reply, startFake } from './network.ts'
import { has, type Scene, set } from './scene.ts'

interface FakeBluesky extends FakeNetwork {
  credentials: { identifier: string; password: string }
  /** The access token of every session. */
  token: string
  /** Records of posts by their keys, in the order of writing. */
  posts: Map<string, unknown>
  /** Records of threadgates by the keys of their posts. */
  gates: Map<string, unknown>
  /** How often the record with a key was replaced. */
  edits: Map<string, number>
  /** The counts of each post, by its key; 0 for a post that is missing here. */
  counts: Map<string, Partial<Record<(typeof COUNTS)[number], number>>>
  /** How often a video is reported to be in processing, or that it fails. */
  processing: number | 'fails'
  /** The largest file that the server accepts (PDS_BLOB_UPLOAD_LIMIT). Since August 2026, servers state it. */
  blobs: { bytesMax: number; isStated: boolean }
}

const ORIGIN = 'https://bsky.social'
const VIDEO_SERVICE = 'https://video.bsky.app'
/** The directory of DIDs: https://web.plc.directory/spec/v0.1/did-plc */
const DIRECTORY = 'https://plc.directory'
/** The AppView that anybody may read: https://docs.bsky.app/docs/advanced-guides/api-directory */
const APP_VIEW = 'https://public.api.bsky.app'
const DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const TOKEN = 'a-session-of-ada'

/** By lexicons/app/bsky/feed/defs.json of https://github.com/bluesky-social/atproto. */
const COUNTS = ['bookmarkCount', 'replyCount', 'repostCount', 'likeCount', 'quoteCount'] as const

const PUBLIC_METHODS = ['app.bsky.video.getJobStatus', 'app.bsky.feed.getPosts', 'com.atproto.server.describeServer']

const refuse = (status: number, error: string, message = error): never => {
  throw new Refused({ status, body: { error, message } })
}

/** The 429 of https://docs.bsky.app/docs/advanced-guides/rate-limits */
const limitedByBluesky = (seconds: number): Reply => ({
  status: 429,
  headers: { 'ratelimit-limit': '3000', 'ratelimit-reset': String(Math.floor(Date.now() / 1000) + seconds) },
  body: { error: 'RateLimitExceeded', message: 'Rate Limit Exceeded' },
})

/** Codecs of https://github.com/multiformats/multicodec */
const RAW = 0x55
const DAG_CBOR = 0x71

/**
 * A content identifier (https://atproto.com/specs/data-model#link-and-cid-formats). That of a record hashes its JSON
 * here.
 */
function cidOf(codec: number, content: string | Buffer): string {
  const bytes = Buffer.concat([Buffer.from([1, codec, 0x12, 32]), createHash('sha256').update(content).digest()])
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const digits = bits.match(/.{1,5}/g)!.map((five) => Number.parseInt(five.padEnd(5, '0'), 2))
  return `b${digits.map((digit) => 'abcdefghijklmnopqrstuvwxyz234567'[digit]).join('')}`
}

interface PutRecord {
  collection: string
  rkey: string
  record: unknown
  swapRecord: string | null
}

/** As a server checks records: by the lexicons of https://github.com/bluesky-social/atproto. */
async function checkRecord(collection: string, record: unknown): Promise<void> {
  const { AppBskyFeedPost, AppBskyFeedThreadgate, jsonToLex } = await import('@atproto/api')
  const validate =
    collection === 'app.bsky.feed.post' ? AppBskyFeedPost.validateRecord : AppBskyFeedThreadgate.validateRecord
  const result = validate(jsonToLex(record as Parameters<typeof jsonToLex>[0]))
  if (!result.success) refuse(400, 'InvalidRequest', `Invalid ${collection} record: ${result.error.message}`)
}

/** An account's server and the video service, as far as https://docs.bsky.app/docs/api describes what adapters use. */
export async function startBluesky(t: Teardown): Promise<FakeBluesky> {
  const credentials = { identifier: 'ada.example.com', password: 'abcd-efgh-ijkl-mnop' }
  const posts = new Map<string, unknown>()
  const gates = new Map<string, unknown>()
  const edits = new Map<string, number>()
  const recordsIn = (collection: string) => (collection === 'app.bsky.feed.threadgate' ? gates : posts)
  const blobs: object[] = []
  const uriOf = (collection: string, rkey: string) => `at://${DID}/${collection}/${rkey}`
  let looks = 0

  const storeBlob = ({ files: [file] }: Recorded): object => {
    if (!file) return refuse(400, 'InvalidRequest', 'Request encoding (Content-Type) required but not provided')
    const ref = { $link: cidOf(RAW, file.bytes) }
    const blob = { $type: 'blob', ref, mimeType: file.type, size: file.bytes.length }
    blobs.push(blob)
    return blob
  }

  // Posts that do not exist are left out: packages/bsky/src/api/app/bsky/feed/getPosts.ts of the same repository.
  const viewPosts = async ({ parameters }: Recorded): Promise<object> => {
    const { lexicons } = await import('@atproto/api')
    const uris = parameters.getAll('uris')
    try {
      lexicons.assertValidXrpcParams('app.bsky.feed.getPosts', { uris })
    } catch (error) {
      return refuse(400, 'InvalidRequest', (error as Error).message)
    }
    const views = uris.flatMap((uri) => {
      const rkey = uri.slice(uri.lastIndexOf('/') + 1)
      const record = posts.get(rkey)
      if (!record || uri !== uriOf('app.bsky.feed.post', rkey)) return []
      const cid = cidOf(DAG_CBOR, JSON.stringify(record))
      const author = { did: DID, handle: credentials.identifier }
      const zeros = Object.fromEntries(COUNTS.map((name) => [name, 0]))
      return [{ uri, cid, author, record, indexedAt: '2026-11-26T00:00:00.000Z', ...zeros, ...fake.counts.get(rkey) }]
    })
    lexicons.assertValidXrpcOutput('app.bsky.feed.getPosts', { posts: views })
    return { posts: views }
  }

  const methods: Record<string, (call: Recorded) => object | Promise<object>> = {
    'com.atproto.repo.getRecord': ({ query: { collection = '', rkey = '' } }) => {
      const found =
        collection === 'app.bsky.actor.profile' ? { displayName: 'Ada Lovelace' } : recordsIn(collection).get(rkey)
      if (!found) return refuse(400, 'RecordNotFound', `Could not locate record: ${uriOf(collection, rkey)}`)
      return { uri: uriOf(collection, rkey), cid: cidOf(DAG_CBOR, JSON.stringify(found)), value: found }
    },
    // The same record changes nothing; `swapRecord` names the record that is replaced, null for none:
    // packages/pds/src/api/com/atproto/repo/putRecord.ts of https://github.com/bluesky-social/atproto
    'com.atproto.repo.putRecord': async ({ body }) => {
      const { collection, rkey, record, swapRecord } = body as PutRecord
      const existing = recordsIn(collection).get(rkey)
      const cid = existing === undefined ? null : cidOf(DAG_CBOR, JSON.stringify(existing))
      const isSame = existing !== undefined && isDeepStrictEqual(existing, record)
      if (!isSame && cid !== swapRecord) return refuse(400, 'InvalidSwap', `Record was at ${cid}`)
      await checkRecord(collection, record)
      if (!isSame && cid) edits.set(rkey, (edits.get(rkey) ?? 0) + 1)
      recordsIn(collection).set(rkey, record)
      return { uri: uriOf(collection, rkey), cid: cidOf(DAG_CBOR, JSON.stringify(record)) }
    },
    // packages/pds/src/api/com/atproto/repo/deleteRecord.ts of the same repository: a record that is not there is no
    // error.
    'com.atproto.repo.deleteRecord': ({ body }) => {
      const { repo, collection, rkey } = body as PutRecord & { repo: string }
      if (repo !== DID) refuse(401, 'AuthMissing')
      return recordsIn(collection).delete(rkey) ? { commit: { cid: cidOf(DAG_CBOR, rkey), rev: '3k' } } : {}
    },
    'app.bsky.feed.getPosts': viewPosts,
    // packages/pds/src/api/com/atproto/server/describeServer.ts of the same repository.
    'com.atproto.server.describeServer': () => ({
      did: 'did:web:bsky.social',
      availableUserDomains: ['.bsky.social'],
      inviteCodeRequired: false,
      ...(fake.blobs.isStated && { blobUploadLimit: fake.blobs.bytesMax }),
      links: {},
      contact: {},
    }),
    // packages/xrpc-server/src/util.ts of the same repository.
    'com.atproto.repo.uploadBlob': (call) =>
      (call.files[0]?.bytes.length ?? 0) > fake.blobs.bytesMax
        ? refuse(413, 'PayloadTooLarge', 'request entity too large')
        : { blob: storeBlob(call) },
    'com.atproto.server.getServiceAuth': () => ({ token: 'a-token-for-the-video-service' }),
    'app.bsky.video.uploadVideo': (call) => {
      storeBlob(call)
      looks = 0
      return { jobId: 'job-1', did: DID, state: 'JOB_STATE_CREATED' }
    },
    // https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/video/defs.json
    'app.bsky.video.getJobStatus': () => {
      if (fake.processing === 'fails') {
        const failure = { failureCode: 'validation_failure', message: 'The video is damaged' }
        return { jobStatus: { jobId: 'job-1', did: DID, state: 'JOB_STATE_FAILED', ...failure } }
      }
      if ((blobs.at(-1) as { size: number }).size > fake.blobs.bytesMax) {
        const failure = { failureCode: 'pds_upload_failure', message: 'The video could not be uploaded to the PDS' }
        return { jobStatus: { jobId: 'job-1', did: DID, state: 'JOB_STATE_FAILED', ...failure } }
      }
      const isDone = ++looks > fake.processing
      const state = isDone ? 'JOB_STATE_COMPLETED' : 'JOB_STATE_ENCODING'
      return { jobStatus: { jobId: 'job-1', did: DID, state, ...(isDone && { blob: blobs.at(-1) }) } }
    },
  }

  const network = await startFake(t, ORIGIN, async (call) => {
    if (call.path === `/${DID}`) {
      return { status: 200, body: { id: DID, service: [{ id: '#atproto_pds', serviceEndpoint: ORIGIN }] } }
    }
    const method = call.path.replace('/xrpc/', '')
    if (method === 'com.atproto.server.createSession') {
      const { identifier, password } = call.body as typeof credentials
      if (identifier !== credentials.identifier || password !== credentials.password) {
        refuse(401, 'AuthenticationRequired', 'Invalid identifier or password')
      }
      return { status: 200, body: { did: DID, handle: identifier, accessJwt: TOKEN, refreshJwt: 'another' } }
    }
    if (!call.headers.authorization && !PUBLIC_METHODS.includes(method)) refuse(401, 'AuthMissing')
    const respond = methods[method] ?? refuse(501, 'MethodNotImplemented')
    return { status: 200, body: await respond(call) }
  })
  const fake: FakeBluesky = {
    ...network,
    fetch: (input, init) =>
      network.fetch(
        [VIDEO_SERVICE, DIRECTORY, APP_VIEW].reduce((url, origin) => url.replace(origin, ORIGIN), String(input)),
        init,
      ),
    credentials,
    token: TOKEN,
    posts,
    gates,
    edits,
    counts: new Map(),
    processing: 1,
    blobs: { bytesMax: 300_000_000, isStated: true },
  }
  return fake
}

export const blueskyScene: Scene<FakeBluesky> = {
  start: startBluesky,
  origins: [ORIGIN, VIDEO_SERVICE, DIRECTORY, APP_VIEW],
  account: ({ credentials }) => ({ credentials }),
  connectable: (bluesky) => ({
    account: { username: 'ada.example.com', displayName: 'Ada Lovelace' },
    secret: bluesky.credentials.password,
    firstCall: 'POST /xrpc/com.atproto.server.createSession',
    postCalls: ['POST /xrpc/com.atproto.repo.putRecord'],
  }),
  countVisible: (bluesky) => bluesky.posts.size,
  published: ({ posts, edits }) => {
    const keyOf = (id: string) => id.slice(id.lastIndexOf('/') + 1)
    return {
      textOf: (id) => (posts.get(keyOf(id)) as { text: string } | undefined)?.text,
      editsOf: (id) => edits.get(keyOf(id)) ?? 0,
      remove: (id) => void posts.delete(keyOf(id)),
    }
  },
  knownFields: { linkCardImageUrl: ['https://images.example/a.jpg'] },
  controls: (bluesky) => ({
    limited: limitedByBluesky,
    secret: bluesky.token,
    processes: has('video'),
    process: (processing) => set(bluesky, { processing }),
  }),
}
