import { hasOtherVideo } from './files.ts'
import type { Recorded, Reply } from './network.ts'
import { refuse, STORAGE } from './pinterest.ts'

export interface PinterestMedia {
  status: 'registered' | 'processing' | 'succeeded' | 'failed'
  parameters: Record<string, string>
  bytes?: Buffer
  looks: number
}

export interface FakePinterestMedia {
  /** Number of looks that find a video still processing, or why it fails. */
  processing: number | string
}

/** `POST /media` of https://github.com/pinterest/api-description. */
export function registerMedia({ body }: Recorded, media: Map<string, PinterestMedia>, id: string): Reply {
  if (JSON.stringify(body) !== '{"media_type":"video"}') refuse(400, 1, 'Invalid request: media_type')
  const parameters = {
    'x-amz-date': '20261123T150000Z',
    'x-amz-signature': 'fcd6309a6aaee213348666a72abed8b4',
    'x-amz-security-token': 'IQoJb3JpZ2luX2VjEJr==',
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': 'ASIA6QZJ64OPIKV7FRVX/20261123/us-east-1/s3/aws4_request',
    key: `uploads/11/aa/22/3:video:${id}`,
    policy: 'eyJleHBpcmF0aW9uIjoiMj==',
    'Content-Type': 'multipart/form-data',
  }
  media.set(id, { status: 'registered', parameters, looks: 0 })
  const upload = { upload_url: `${STORAGE}/`, upload_parameters: parameters }
  return { status: 201, body: { media_id: id, media_type: 'video', ...upload } }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html: the fields of the form are the permission. */
export function receiveFile(
  { method, body, files, fields, headers }: Recorded,
  media: Map<string, PinterestMedia>,
  { processing }: FakePinterestMedia,
): Reply {
  const error = (status: number, code: string): Reply => ({
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`,
  })
  if (method !== 'POST') return error(405, 'MethodNotAllowed')
  if (headers.authorization !== undefined) return error(400, 'InvalidArgument')
  const video = [...media.values()].find(
    ({ parameters }) => parameters.key === (body as Record<string, string> | undefined)?.key,
  )
  if (!video || JSON.stringify(body) !== JSON.stringify(video.parameters)) return error(403, 'AccessDenied')
  const [file] = files
  // Fields after the file are ignored.
  if (files.length !== 1 || file?.field !== 'file' || fields.at(-1) !== 'file') return error(400, 'InvalidArgument')
  video.bytes = file.bytes
  video.status = processing === 0 ? 'succeeded' : 'processing'
  return { status: 204 }
}

/** `GET /media/{media_id}`. Each look takes the video one step further. */
export function showMedia(id: string, media: Map<string, PinterestMedia>, { processing }: FakePinterestMedia): Reply {
  const video = media.get(id) ?? refuse(404, 2052, 'Media upload not found.')
  const { status } = video
  if (status === 'processing') {
    video.looks++
    const isUnsupported = hasOtherVideo(video.bytes ?? Buffer.alloc(0), ['avc', 'hevc'])
    if (typeof processing === 'string' || isUnsupported) video.status = 'failed'
    else if (video.looks >= processing) video.status = 'succeeded'
  }
  const failure = status === 'failed' && { failure_code: processing }
  return { status: 200, body: { media_id: id, media_type: 'video', status, ...failure } }
}
