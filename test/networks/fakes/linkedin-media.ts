import { createHash } from 'node:crypto'
import { forbidden, type LinkedinState, type LinkedinToken, mayActFor, refuse, refuseField } from './linkedin.ts'
import type { Recorded, Reply } from './network.ts'

export interface LinkedinAsset {
  kind: 'images' | 'videos' | 'documents'
  owner: string
  status: 'WAITING_UPLOAD' | 'PROCESSING' | 'AVAILABLE' | 'PROCESSING_FAILED'
  /** Number of further responses that report it in processing; a text is the reason of its failure. */
  looks: number | string
  /** The content, by part. */
  parts: (Buffer | null)[]
  /** Lengths of the parts of a video. */
  lengths: number[]
  uploadToken: string
}

export interface FakeLinkedinMedia {
  /** How often an image is reported to be in processing; a text is the reason of its failure. */
  imageProcessing: number | string
  /** The same for a video. */
  processing: number | string
  /** Whether the state of files may be read: a token without a read scope may get 403. */
  mayReadAssets: boolean
  /** Bytes of each part of a video but the last: 4,194,304 at LinkedIn. */
  partBytes: number
}

const HOST = 'https://www.linkedin.com'

/**
 * Files of posts: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api,
 * /videos-api and /documents-api.
 */
export function serveMedia(state: LinkedinState) {
  const switches: FakeLinkedinMedia = { imageProcessing: 0, processing: 1, mayReadAssets: true, partBytes: 4_194_304 }
  // Tests set the switches on the fake itself.
  let current = (): FakeLinkedinMedia => switches

  const initialize = (kind: LinkedinAsset['kind'], { body }: Recorded, token: LinkedinToken): Reply => {
    const request = (body as { initializeUploadRequest?: { owner?: string; fileSizeBytes?: number } })
      .initializeUploadRequest
    const owner = request?.owner
    if (!owner) return refuseField('MISSING_FIELD', 'initializeUploadRequest/owner', 'owner is required')
    if (!mayActFor(owner, token, state)) forbidden(`partnerApi${kind}.ACTION-initializeUpload.20260901`)
    const id = state.nextId()
    const urn = `urn:li:${kind.slice(0, -1)}:D4E10${id}`
    const bytes = request.fileSizeBytes ?? 0
    if (kind === 'videos' && !(bytes > 0)) refuseField('MISSING_FIELD', 'fileSizeBytes', 'fileSizeBytes is required')
    const { partBytes } = current()
    const count = kind === 'videos' ? Math.ceil(bytes / partBytes) : 1
    const lengths = Array.from({ length: count }, (_, part) => Math.min(partBytes, bytes - part * partBytes))
    const parts = Array.from({ length: count }, () => null)
    const asset: LinkedinAsset = {
      kind,
      owner,
      lengths,
      parts,
      looks: kind === 'videos' ? current().processing : current().imageProcessing,
      status: 'WAITING_UPLOAD',
      uploadToken: kind === 'videos' ? `token-${id}` : '',
    }
    state.assets.set(urn, asset)
    const address = (part: number) => `${HOST}/dms-uploads/${encodeURIComponent(urn)}/${part}?sau=signed`
    const expiry = state.clock().getTime() + 86_400_000
    if (kind !== 'videos') {
      return {
        status: 200,
        body: { value: { uploadUrl: address(0), uploadUrlExpiresAt: expiry, [kind.slice(0, -1)]: urn } },
      }
    }
    const uploadInstructions = lengths.map((length, part) => {
      const firstByte = part * partBytes
      return { uploadUrl: address(part), firstByte, lastByte: firstByte + length - 1 }
    })
    const value = { video: urn, uploadToken: asset.uploadToken, uploadUrlsExpireAt: expiry, uploadInstructions }
    return { status: 200, body: { value } }
  }

  const finalize = ({ body }: Recorded): Reply => {
    const { video, uploadToken, uploadedPartIds } = (
      body as { finalizeUploadRequest: { video: string; uploadToken: string; uploadedPartIds: string[] } }
    ).finalizeUploadRequest
    const asset = state.assets.get(video)
    if (!asset) return refuse(404, 'NOT_FOUND', 'No such video')
    const expected = asset.parts.map((part) => part && etagOf(part))
    const isRight = uploadToken === asset.uploadToken && JSON.stringify(expected) === JSON.stringify(uploadedPartIds)
    if (!isRight || asset.status !== 'WAITING_UPLOAD') {
      refuseField('INVALID_VALUE_FOR_FIELD', 'finalizeUploadRequest/uploadedPartIds', 'The upload cannot be finished')
    }
    process(asset)
    return { status: 200 }
  }

  const process = (asset: LinkedinAsset) => {
    asset.status = asset.looks === 0 ? 'AVAILABLE' : 'PROCESSING'
  }

  const read = (urn: string): Reply => {
    const asset = state.assets.get(urn)
    if (!asset) return refuse(404, 'NOT_FOUND', 'No such media')
    if (!current().mayReadAssets) {
      const what = asset.kind.slice(0, -1)
      const message = `Accessing this ${what} resource is forbidden. Please check your permissions for this resource`
      return { status: 403, body: { message, status: 403 } }
    }
    const { status, owner, looks } = asset
    if (status === 'PROCESSING') {
      if (typeof looks === 'string') asset.status = 'PROCESSING_FAILED'
      else if (--(asset as { looks: number }).looks <= 0) asset.status = 'AVAILABLE'
    }
    const failure = status === 'PROCESSING_FAILED' ? { processingFailureReason: looks } : {}
    return { status: 200, body: { id: urn, owner, status, ...failure } }
  }

  /** The bytes of a file, or of a part of it. The token goes with all but videos. */
  const receive = ({ method, path, headers, files }: Recorded): Reply | undefined => {
    const [, encoded = '', part = ''] = /^\/dms-uploads\/([^/]+)\/(\d+)$/.exec(path) ?? []
    if (!encoded || method !== 'PUT') return undefined
    const asset = state.assets.get(decodeURIComponent(encoded))
    const bytes = files[0]?.bytes
    if (!asset || !bytes) return { status: 404 }
    const hasToken = headers.authorization !== undefined
    if (asset.kind !== 'videos') {
      if (!hasToken) return { status: 401, body: { status: 401, message: 'Empty oauth2 access token' } }
      // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/documents-api
      const isDocument = bytes.length <= 100_000_000 && bytes.subarray(0, 5).toString('latin1') === '%PDF-'
      if (asset.kind === 'documents' && !isDocument) return { status: 400, body: { status: 400, message: 'Bad file' } }
      asset.parts[0] = bytes
      process(asset)
      return { status: 201 }
    }
    const isPart =
      headers['content-type'] === 'application/octet-stream' && bytes.length === asset.lengths[Number(part)]
    if (hasToken || !isPart) return { status: 400, body: { status: 400, message: 'Bad part' } }
    asset.parts[Number(part)] = bytes
    return { status: 200, headers: { etag: `"${etagOf(bytes)}"` } }
  }

  const respond = (call: Recorded, token: LinkedinToken): Reply | undefined => {
    const [, kind, urn] = /^\/rest\/(images|videos|documents)(?:\/([^/]+))?$/.exec(call.path) ?? []
    if (kind === undefined) return undefined
    if (call.method === 'GET' && urn !== undefined) return read(decodeURIComponent(urn))
    if (call.method !== 'POST') return undefined
    if (call.query.action === 'initializeUpload') return initialize(kind as LinkedinAsset['kind'], call, token)
    return call.query.action === 'finalizeUpload' && kind === 'videos' ? finalize(call) : undefined
  }

  return {
    switches,
    receive,
    respond,
    use: (fake: FakeLinkedinMedia) => {
      current = () => fake
    },
  }
}

const etagOf = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
