import { hasOtherSound, hasOtherVideo } from './files.ts'
import type { Recorded, Reply } from './network.ts'
import { invalid, validate } from './x-replies.ts'

interface Upload {
  id: string
  /**
   * Whether it is the user's. Files of others cannot be used:
   * https://docs.x.com/x-api/media/quickstart/media-upload-chunked
   */
  isOwn: boolean
  mediaKey: string
  category: string
  bytesDeclared: number
  chunks: Buffer[]
  state: 'open' | 'processing' | 'succeeded' | 'failed'
  /** Number of further responses that report it in processing. */
  looks: number
  expiresAt: number
  altText: string | null
}

// https://docs.x.com/x-api/media/quickstart/best-practices
const BYTES_MAX: Record<string, number> = { tweet_image: 5_242_880, tweet_gif: 15_728_640, tweet_video: 8_589_934_592 }
const CHUNK_BYTES_MAX = 5_242_880
const LIFE_MS = 86_400_000

/** The first part of a media key is the number of the category. */
const PREFIXES: Record<string, number> = { tweet_image: 3, tweet_gif: 16, tweet_video: 7 }

/** The uploads of one user, by https://docs.x.com/x-api/media/quickstart/media-upload-chunked. */
export function createMedia(nextId: () => string, clock: () => Date) {
  const uploads = new Map<string, Upload>()
  const switches = {
    /** How often a GIF or video is reported to be in processing; a text is the reason of its failure. */
    processing: 1 as number | string,
    /** Whether a chunk may be sent again under the same index, which X does not say. */
    acceptsChunksAgain: true,
  }

  const create = (category: string, bytesDeclared: number): Upload => {
    if (bytesDeclared > BYTES_MAX[category]!) invalid('total_bytes', bytesDeclared, 'File size exceeds the maximum.')
    const id = nextId()
    const mediaKey = `${PREFIXES[category]}_${id}`
    const rest = {
      isOwn: true,
      state: 'open',
      looks: 0,
      expiresAt: clock().getTime() + LIFE_MS,
      altText: null,
    } as const
    const upload: Upload = { id, mediaKey, category, bytesDeclared, chunks: [], ...rest }
    uploads.set(id, upload)
    return upload
  }
  const find = (id: unknown): Upload => {
    const upload = uploads.get(String(id))
    if (!upload?.isOwn || upload.expiresAt < clock().getTime()) return invalid('media_id', id, 'Invalid media id.')
    return upload
  }
  const bytesOf = ({ chunks }: Upload) => chunks.reduce((sum, { length }) => sum + length, 0)

  /** As the switch, but for the reason why this file fails. */
  const processingOf = ({ chunks }: Upload): number | string => {
    const bytes = Buffer.concat(chunks)
    const isUnsupported = hasOtherVideo(bytes, ['avc']) || hasOtherSound(bytes)
    return isUnsupported ? 'file is currently unsupported' : switches.processing
  }

  const shown = (upload: Upload) => {
    const { id, mediaKey, state, looks, category } = upload
    const processing = processingOf(upload)
    return {
      data: {
        id,
        media_key: mediaKey,
        size: bytesOf(upload),
        expires_after_secs: LIFE_MS / 1000,
        ...(category !== 'tweet_image' &&
          processing !== 0 && {
            processing_info:
              state === 'failed'
                ? { state, progress_percent: 12, error: { code: 1, name: 'InvalidMedia', message: processing } }
                : state === 'succeeded'
                  ? { state, progress_percent: 100 }
                  : { state: looks === processing ? 'pending' : 'in_progress', check_after_secs: 2 },
          }),
      },
    }
  }

  function initialize({ body }: Recorded): Reply {
    validate('initialize', body)
    const { media_category: category, media_type: type, total_bytes: bytes } = body as Record<string, string & number>
    if (!category || !type || !bytes)
      return invalid('body', '{}', 'media_category, media_type and total_bytes are required')
    const { id, mediaKey } = create(category, bytes)
    return { status: 200, body: { data: { id, media_key: mediaKey, expires_after_secs: LIFE_MS / 1000 } } }
  }

  function append(id: string, { body, files }: Recorded): Reply {
    validate('append', body)
    const upload = find(id)
    const index = Number((body as { segment_index: string }).segment_index)
    const chunk = contentOf(body, files)
    if (chunk.length > CHUNK_BYTES_MAX) return { status: 413 }
    if (upload.state !== 'open') return invalid('media_id', id, 'The upload is finalized.')
    if (index > upload.chunks.length) return invalid('segment_index', index, 'Segments are missing.')
    if (index < upload.chunks.length && !switches.acceptsChunksAgain) {
      return invalid('segment_index', index, 'The segment was uploaded before.')
    }
    upload.chunks[index] = chunk
    if (bytesOf(upload) > upload.bytesDeclared) return invalid('media', '', 'File size exceeds total_bytes.')
    return { status: 200, body: { data: { expires_at: Math.floor(upload.expiresAt / 1000) } } }
  }

  function finalize(id: string): Reply {
    const upload = find(id)
    if (upload.state !== 'open' || bytesOf(upload) !== upload.bytesDeclared) {
      return invalid('media_id', id, 'The upload is not complete, or it is finalized.')
    }
    const processing = processingOf(upload)
    upload.looks = typeof processing === 'number' ? processing : 1
    upload.state = upload.looks > 0 ? 'processing' : 'succeeded'
    return { status: 200, body: shown(upload) }
  }

  function status({ query }: Recorded): Reply {
    validate('status', query)
    const upload = find(query.media_id)
    if (upload.state === 'open') return invalid('media_id', upload.id, 'The upload is not finalized.')
    if (upload.state === 'processing' && upload.looks-- <= 1) {
      upload.state = typeof processingOf(upload) === 'string' ? 'failed' : 'succeeded'
    }
    return { status: 200, body: shown(upload) }
  }

  /** https://docs.x.com/x-api/media/upload-media */
  function sendImage({ body, files }: Recorded): Reply {
    validate('image', body)
    const content = contentOf(body, files)
    const upload = create('tweet_image', content.length)
    upload.chunks.push(content)
    upload.state = 'succeeded'
    return { status: 200, body: shown(upload) }
  }

  function describe({ body }: Recorded): Reply {
    validate('metadata', body)
    const { id, metadata } = body as { id: string; metadata?: { alt_text?: { text: string } } }
    const upload = find(id)
    if (upload.category === 'tweet_video') return invalid('id', id, 'Alt text can only be added to images.')
    upload.altText = metadata?.alt_text?.text ?? null
    return { status: 200, body: { data: { id, associated_metadata: metadata } } }
  }

  return { uploads, switches, initialize, append, finalize, status, sendImage, describe, find }
}

function contentOf(body: unknown, files: Recorded['files']): Buffer {
  const { media } = (body ?? {}) as { media?: string }
  if (media !== undefined) return Buffer.from(media, 'base64')
  const [file, ...others] = files
  if (file?.field !== 'media' || others.length > 0) return invalid('media', '', 'media is required')
  return file.bytes
}
