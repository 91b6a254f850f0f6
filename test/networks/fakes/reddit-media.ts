import { createHash, randomBytes } from 'node:crypto'
import { type Recorded, Refused, type Reply } from './network.ts'

/** A file, from its lease on. */
export interface RedditAsset {
  id: string
  mimeType: string
  /** The storage for images or for videos. */
  origin: string
  key: string
  fields: { name: string; value: string }[]
  leaseEndsAt: number
  bytes: Buffer | null
}

/** The storages for images and for videos. */
export const STORAGES = {
  image: 'https://reddit-uploaded-media.s3-accelerate.amazonaws.com',
  video: 'https://reddit-uploaded-video.s3-accelerate.amazonaws.com',
} as const

/** The policy of a recorded lease ends after a quarter of an hour. */
const LEASE_MS = 900_000

const MIME_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'video/mp4', 'video/quicktime']

const xml = (status: number, content: string): Reply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${content}`,
})

/**
 * Leases and uploads, as https://github.com/praw-dev/praw/blob/main/praw/models/media.py makes them, and as
 * tests/integration/cassettes/TestSubreddit.test_submit_image.json there records them.
 */
export function createMedia(clock: () => number) {
  const assets = new Map<string, RedditAsset>()
  const switches = { bytesMax: 20_971_520 }

  /** `POST /api/media/asset.json` */
  function lease({ body }: Recorded): Reply {
    const { filepath, mimetype = '' } = (body ?? {}) as Record<string, string>
    if (!filepath || !MIME_TYPES.includes(mimetype))
      throw new Refused({ status: 400, body: { message: 'Bad Request', error: 400 } })
    const id = `${randomBytes(8).toString('hex').slice(0, 10)}rb1`
    const isVideo = mimetype.startsWith('video/')
    const origin = isVideo ? STORAGES.video : STORAGES.image
    const key = isVideo ? id : `rte_images/${id}`
    const fields = Object.entries({
      acl: 'private',
      key,
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      success_action_status: '201',
      'content-type': mimetype,
      'x-amz-storage-class': 'STANDARD',
      'x-amz-meta-ext': filepath.split('.').at(-1)!,
      policy: randomBytes(90).toString('base64'),
      'X-Amz-Signature': randomBytes(32).toString('hex'),
      'x-amz-security-token': randomBytes(90).toString('base64'),
    }).map(([name, value]) => ({ name, value }))
    assets.set(id, { id, mimeType: mimetype, origin, key, fields, leaseEndsAt: clock() + LEASE_MS, bytes: null })
    const socket = `wss://k8s-lb.wss.redditmedia.com/${id}?m=AQAA`
    const asset = { asset_id: id, processing_state: 'incomplete', payload: { filepath }, websocket_url: socket }
    return { status: 200, body: { args: { action: origin.replace('https:', ''), fields }, asset } }
  }

  /** The form that goes to the storage, which is not Reddit's. */
  function store({ host, headers, body, files, fields: names }: Recorded): Reply {
    const form = (body ?? {}) as Record<string, string>
    const denied = xml(403, '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>')
    const asset = [...assets.values()].find(({ key, origin }) => key === form.key && origin === `https://${host}`)
    const [file] = files
    if (headers.authorization !== undefined || !asset || asset.leaseEndsAt < clock()) return denied
    const isComplete = asset.fields.every(({ name, value }) => form[name] === value)
    // Fields behind the file are not read: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTForms.html
    if (!isComplete || names.at(-1) !== 'file') return denied
    if (file?.field !== 'file') return xml(400, '<Error><Code>InvalidArgument</Code></Error>')
    if (file.bytes.length > switches.bytesMax) {
      const sizes = `<ProposedSize>${file.bytes.length}</ProposedSize><MaxSizeAllowed>${switches.bytesMax}</MaxSizeAllowed>`
      return xml(400, `<Error><Code>EntityTooLarge</Code>${sizes}</Error>`)
    }
    asset.bytes = file.bytes
    const location = `${asset.origin}/${encodeURIComponent(asset.key)}`
    const etag = createHash('md5').update(file.bytes).digest('hex')
    const content = `<Location>${location}</Location><Bucket>reddit-uploaded-media</Bucket><Key>${asset.key}</Key>`
    return xml(201, `<PostResponse>${content}<ETag>"${etag}"</ETag></PostResponse>`)
  }

  /** The uploaded file that an address of a post means. */
  const findUploaded = (url: string | undefined) =>
    [...assets.values()].find(({ origin, key, bytes }) => bytes !== null && url === `${origin}/${key}`)

  return { assets, switches, lease, store, findUploaded }
}
