import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  NoSuchKey,
  NoSuchUpload,
  NotFound,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { assertKey, CACHE_CONTROL, disposition, NotStoredError, type Storage } from './storage.ts'

export interface S3Options {
  bucket: string
  region: string
  /** The URL of an S3-compatible service; AWS if absent. Clients that fetch media are redirected to it. */
  endpoint?: string
  /** If absent, the SDK uses its own sources: AWS_* in the environment, ~/.aws, the machine's role. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** S3's minimum, because one part is in memory. Parts are larger if a file would need more than S3's maximum of 10,000. */
const PART_BYTES_MIN = 5 * 2 ** 20
const PARTS_MAX = 10_000

/** Long enough to follow a redirect, short enough that a leaked URL expires soon. */
const SIGNED_URL_SECONDS = 300

/**
 * Keeps media as objects in a bucket, named by their keys. The first call opens the first connection. Errors of S3 are
 * thrown unchanged, after three attempts. Requires s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload,
 * s3:ListBucketMultipartUploads and s3:ListBucket. Without s3:ListBucket, S3 responds with 403 instead of 404
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html).
 */
export function s3Storage(options: S3Options): Storage {
  const client = createClient(options)
  const objectOf = (key: string): S3Object => {
    assertKey(key)
    return { Bucket: options.bucket, Key: key }
  }

  return {
    async put(key, path, mimeType) {
      const object = objectOf(key)
      // `If-None-Match: *` would save this round trip, but not every service supports it. If the response to a PUT is
      // lost, the SDK's second attempt would fail because of the first.
      if (await isStored(client, object)) throw new Error(`An object is already stored under ${key}`)
      const file = await open(path)
      try {
        await putFile(client, object, file, mimeType)
      } finally {
        await file.close()
      }
    },

    async remove(key) {
      const object = objectOf(key)
      // Uploads first: one that completes in the meantime creates an object, which is deleted next.
      for (const uploadId of await listUnfinishedUploads(client, object)) await abortUpload(client, object, uploadId)
      await client.send(new DeleteObjectCommand(object))
    },

    size: (key) => sizeOf(client, objectOf(key)),

    async read(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand(objectOf(key)))
        return Body as Readable
      } catch (error) {
        throw error instanceof NoSuchKey ? new NotStoredError(key, error) : error
      }
    },

    async serve(key, request, { mimeType, fileName }) {
      const object = objectOf(key)
      // Costs a round trip, but a missing object is a 404 of this service, and not a redirect that leads to one.
      await sizeOf(client, object)
      const input = {
        ...object,
        ResponseContentType: mimeType,
        ResponseContentDisposition: disposition(fileName),
        ResponseCacheControl: CACHE_CONTROL,
      }
      // A signature is valid for one method.
      const command = request.method === 'HEAD' ? new HeadObjectCommand(input) : new GetObjectCommand(input)
      const location = await getSignedUrl(client, command, { expiresIn: SIGNED_URL_SECONDS })
      return { statusCode: 307, headers: { Location: location, 'Cache-Control': 'no-store' }, body: undefined }
    },
  }
}

interface S3Object {
  Bucket: string
  Key: string
}

export function createClient({ region, endpoint, credentials }: S3Options): S3Client {
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    maxAttempts: 3,
    // `socketTimeout` limits the idle time. `requestTimeout` would limit a whole request, and only log a warning.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
    // By default the SDK adds checksums, for streams as aws-chunked trailers. Services that do not support those reject
    // them, or store them as content. The signature covers the SHA-256 of each part in any case.
    // https://docs.aws.amazon.com/sdkref/latest/guide/feature-dataintegrity.html
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  // Runs after all attempts. The codes of connection errors would be mistaken for those of the database.
  client.middlewareStack.add((next) => (request) => next(request).catch(throwUnreachable), { step: 'initialize' })
  return client
}

/** The size of an object. Throws a NotStoredError if there is none. */
async function sizeOf(client: S3Client, object: S3Object): Promise<number> {
  try {
    const { ContentLength } = await client.send(new HeadObjectCommand(object))
    return ContentLength ?? 0
  } catch (error) {
    if (error instanceof NotFound) throw new NotStoredError(object.Key, error)
    // A response to HEAD has no body, so the SDK reports every status as UnknownError.
    if (error instanceof S3ServiceException && error.name === 'Unknown') {
      error.message = `S3 responded with ${error.$metadata.httpStatusCode} to HEAD`
    }
    throw error
  }
}

const isStored = (client: S3Client, object: S3Object): Promise<boolean> =>
  sizeOf(client, object).then(
    () => true,
    (error) => {
      if (error instanceof NotStoredError) return false
      throw error
    },
  )

/** Uploads part by part through one buffer. The SDK's own Upload allocates new ones: 100 MB more for 1 GiB. */
async function putFile(client: S3Client, object: S3Object, file: FileHandle, mimeType: string): Promise<void> {
  const { size } = await file.stat()
  const partBytes = Math.max(PART_BYTES_MIN, Math.ceil(size / PARTS_MAX))
  const buffer = Buffer.allocUnsafe(Math.min(size, partBytes))
  if (size <= partBytes) {
    await client.send(new PutObjectCommand({ ...object, Body: await readPart(file, buffer, 0), ContentType: mimeType }))
    return
  }

  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...object, ContentType: mimeType }))
  try {
    const Parts: CompletedPart[] = []
    for (let position = 0; position < size; position += partBytes) {
      const part = { PartNumber: Parts.length + 1, Body: await readPart(file, buffer, position) }
      const { ETag } = await client.send(new UploadPartCommand({ ...object, UploadId, ...part }))
      Parts.push({ PartNumber: part.PartNumber, ETag })
    }
    await client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }))
  } catch (error) {
    await abortUpload(client, object, UploadId).catch(() => {})
    throw error
  }
}

async function abortUpload(client: S3Client, object: S3Object, uploadId: string | undefined): Promise<void> {
  try {
    await client.send(new AbortMultipartUploadCommand({ ...object, UploadId: uploadId }))
  } catch (error) {
    if (!(error instanceof NoSuchUpload)) throw error
  }
}

/** The ids of uploads to the object that were neither completed nor aborted. */
async function listUnfinishedUploads(client: S3Client, { Bucket, Key }: S3Object): Promise<(string | undefined)[]> {
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }))
    return Uploads.filter((upload) => upload.Key === Key).map(({ UploadId }) => UploadId)
  } catch (error) {
    // Some services cannot list uploads. There, the bucket's lifecycle rule for unfinished uploads has to delete them.
    // https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    if (error instanceof S3ServiceException && error.name === 'NotImplemented') return []
    throw error
  }
}

/** Fills the buffer from `position` on, up to the end of the file. */
async function readPart(file: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  let filled = 0
  for (let bytesRead = -1; filled < buffer.length && bytesRead !== 0; filled += bytesRead) {
    bytesRead = (await file.read(buffer, filled, buffer.length - filled, position + filled)).bytesRead
  }
  return buffer.subarray(0, filled)
}

function throwUnreachable(error: NodeJS.ErrnoException): never {
  if (error instanceof S3ServiceException) throw error
  throw new Error(`S3 cannot be reached: ${error.code ?? error.name}`, { cause: error })
}
