import { createHash } from 'node:crypto'
import type { Recorded, Reply } from './network.ts'
import { Refused } from './network.ts'
import { refuse } from './youtube-replies.ts'
import type { Video, YoutubeState } from './youtube-videos.ts'

/** https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol */
const CHUNK_STEP = 262_144

interface Session {
  total: number
  received: Buffer[]
  resource: Pick<Video, 'snippet' | 'status'>
  /** The video, once the last byte has arrived. */
  video: Video | null
}

const PATH = '/upload/youtube/v3/videos'

/** Upload sessions, of which each makes one video with its last byte. */
export function serveUploads(state: YoutubeState) {
  const sessions = new Map<string, Session>()
  const switches = {
    /** The number of bytes that are stored of the next request that has some; null stores all. */
    storesBytes: null as number | null,
    /**
     * A session that has every byte responds with 308 to this many queries: https://github.com/claudiob/yt/issues/192
     */
    completeLooks: 0,
  }

  function begin({ query, headers, body }: Recorded): Reply {
    if (query.uploadType !== 'resumable') refuse(400, 'badRequest', 'Unsupported upload type')
    const resource = checkResource(body, query.part ?? '')
    const total = Number(headers['x-upload-content-length'])
    if (!(total > 0)) refuse(400, 'mediaBodyRequired', 'The request does not include the video content.')
    if (!/^(?:video\/|application\/octet-stream$)/.test(String(headers['x-upload-content-type']))) {
      refuse(400, 'badContent', 'Media type is not supported.')
    }
    state.spendInsert()
    const id = createHash('sha1').update(state.nextId()).digest('base64url')
    sessions.set(id, { total, received: [], resource, video: null })
    const location = `https://www.googleapis.com${PATH}?uploadType=resumable&part=${query.part}&upload_id=${id}`
    return { status: 200, headers: { location } }
  }

  function receive({ query, headers, files }: Recorded): Reply {
    const session = sessions.get(query.upload_id ?? '')
    if (!session) throw new Refused({ status: 404, body: 'Not Found' })
    const [, first, last, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
    if (Number(total) !== session.total) refuse(400, 'badRequest', 'Failed to parse Content-Range header.')
    if (first === undefined) {
      if (headers['content-length'] !== '0') refuse(411, 'badRequest', 'Length Required')
      return progress(session)
    }
    const bytes = files[0]?.bytes ?? Buffer.alloc(0)
    if (bytes.length !== Number(last) - Number(first) + 1) refuse(400, 'badRequest', 'Content-Range and body differ.')
    const isLast = Number(last) + 1 === session.total
    if (!isLast && bytes.length % CHUNK_STEP !== 0) refuse(400, 'badRequest', 'Invalid chunk size.')
    // Nothing is stored of a block that does not join on.
    if (session.video || Number(first) !== lengthOf(session)) return progress(session)
    session.received.push(bytes.subarray(0, switches.storesBytes ?? bytes.length))
    switches.storesBytes = null
    return progress(session)
  }

  function progress(session: Session): Reply {
    const received = lengthOf(session)
    if (received < session.total || (session.video === null && switches.completeLooks-- > 0)) {
      return { status: 308, ...(received > 0 && { headers: { range: `bytes=0-${received - 1}` } }) }
    }
    session.video ??= state.addVideo(session.resource, Buffer.concat(session.received))
    return { status: 201, body: state.resourceOf(session.video, ['snippet', 'status']) }
  }

  return { sessions, switches, begin, receive }
}

const lengthOf = ({ received }: Session) => received.reduce((sum, { length }) => sum + length, 0)

/** https://developers.google.com/youtube/v3/docs/videos/insert#errors */
function checkResource(body: unknown, part: string): Session['resource'] {
  const given = (body ?? {}) as Partial<Session['resource']>
  const parts = part.split(',')
  if (!parts.includes('snippet') || !parts.includes('status')) refuse(400, 'missingRequiredParameter', 'part')
  const { snippet, status } = given
  if (!snippet || !status) return refuse(400, 'invalidVideoMetadata', 'The request metadata is invalid.')
  const { title = '', description = '', tags = [], categoryId } = snippet
  if (!title || [...title].length > 100 || /[<>]/.test(title)) {
    refuse(400, 'invalidTitle', 'The request metadata specifies an invalid or empty video title.')
  }
  if (Buffer.byteLength(description) > 5000 || /[<>]/.test(description)) {
    refuse(400, 'invalidDescription', 'The request metadata specifies an invalid video description.')
  }
  const length = tags.reduce((sum, tag) => sum + [...tag].length + (tag.includes(' ') ? 2 : 0), tags.length - 1)
  if (length > 500) refuse(400, 'invalidTags', 'The request metadata specifies invalid video keywords.')
  if (categoryId !== undefined && !/^\d+$/.test(categoryId)) {
    refuse(400, 'invalidCategoryId', 'The request specifies an invalid video category ID.')
  }
  if (!['public', 'private', 'unlisted'].includes(status.privacyStatus)) {
    refuse(400, 'invalidVideoMetadata', 'The request metadata is invalid.')
  }
  if (status.publishAt !== undefined && status.privacyStatus !== 'private') {
    refuse(400, 'invalidPublishAt', 'The request metadata specifies an invalid scheduled publishing time.')
  }
  return { snippet, status }
}
