import { randomUUID } from 'node:crypto'
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
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { createClient, type S3Options, sendCall, transfer } from './s3-client.ts'
import {
  assertKey,
  CACHE_CONTROL,
  disposition,
  NotStoredError,
  type Storage,
  StorageError,
  throwFileError,
} from './storage.ts'

export type { S3Options }

/**
 * S3's minimum, because one part is in memory. Parts are larger if a file would need more than S3's maximum of 10,000.
 */
const PART_BYTES_MIN = 5 * 2 ** 20
const PARTS_MAX = 10_000

/** The largest file for which services put the parts together within a second or so. */
const PROBED_END_BYTES_MAX = 50_000_000

/** Long enough to follow a redirect, short enough that a leaked URL expires soon. */
const SIGNED_URL_SECONDS = 300

/**
 * Keeps media as objects in a bucket, named by their keys. The first call opens the first connection. Errors that are
 * the request's fault are thrown unchanged. Requires s3:GetObject, s3:PutObject, s3:DeleteObject,
 * s3:AbortMultipartUpload, s3:ListBucketMultipartUploads and s3:ListBucket. Without s3:ListBucket, S3 responds with 403
 * instead of 404 (https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html).
 */
export function s3Storage(options: S3Options): Storage {
  const client = createClient(options)
  // One name for each process: a check that cannot delete its object leaves one, and not one each time.
  const checkKey = `check-${randomUUID()}`
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
      const file = await open(path).catch(throwFileError)
      try {
        await putFile(client, object, file, mimeType).catch(throwFileError)
      } finally {
        await file.close()
      }
    },

    async remove(key) {
      const object = objectOf(key)
      // Uploads first: one that completes in the meantime creates an object, which is deleted next.
      for (const uploadId of await listUnfinishedUploads(client, object)) await abortUpload(client, object, uploadId)
      await sendCall((abortSignal) => client.send(new DeleteObjectCommand(object), { abortSignal }))
    },

    size: (key) => sizeOf(client, objectOf(key)),

    async read(key, range) {
      try {
        const object = objectOf(key)
        const Range = range && `bytes=${range.from}-${range.from + range.bytes - 1}`
        const { Body } = await transfer(probeOf(client, object), (abortSignal) =>
          client.send(new GetObjectCommand({ ...object, Range }), { abortSignal }),
        )
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

    check: () => checkBucket(client, { Bucket: options.bucket, Key: checkKey }),
  }
}

interface S3Object {
  Bucket: string
  Key: string
}

/** The size of an object. Throws a NotStoredError if it does not exist. */
async function sizeOf(client: S3Client, object: S3Object): Promise<number> {
  try {
    const { ContentLength } = await sendCall(probeOf(client, object))
    return ContentLength ?? 0
  } catch (error) {
    throw error instanceof NotFound ? new NotStoredError(object.Key, error) : error
  }
}

const probeOf = (client: S3Client, object: S3Object) => (abortSignal: AbortSignal) =>
  client.send(new HeadObjectCommand(object), { abortSignal })

async function checkBucket(client: S3Client, object: S3Object): Promise<void> {
  const content = 'postroom'
  // As `put` does: without the permission to list, S3 refuses to say that an object is missing.
  await isStored(client, object)
  await sendCall((abortSignal) => client.send(new PutObjectCommand({ ...object, Body: content }), { abortSignal }))
  const stored = await sendCall(async (abortSignal) => {
    const { Body } = await client.send(new GetObjectCommand(object), { abortSignal })
    return Body?.transformToString()
  })
  if (stored !== content) throw new StorageError('S3 returns other bytes than were written')
  await sendCall((abortSignal) => client.send(new DeleteObjectCommand(object), { abortSignal }))
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
  const probe = probeOf(client, object)
  if (size <= partBytes) {
    const command = new PutObjectCommand({ ...object, Body: await readPart(file, buffer, 0), ContentType: mimeType })
    await transfer(probe, (abortSignal) => client.send(command, { abortSignal }))
    return
  }

  const start = new CreateMultipartUploadCommand({ ...object, ContentType: mimeType })
  const { UploadId } = await sendCall((abortSignal) => client.send(start, { abortSignal }))
  try {
    const Parts: CompletedPart[] = []
    for (let position = 0; position < size; position += partBytes) {
      const part = { PartNumber: Parts.length + 1, Body: await readPart(file, buffer, position) }
      const command = new UploadPartCommand({ ...object, UploadId, ...part })
      const { ETag } = await transfer(probe, (abortSignal) => client.send(command, { abortSignal }), {
        fileBytes: size,
      })
      Parts.push({ PartNumber: part.PartNumber, ETag })
    }
    const complete = new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } })
    const send = (abortSignal: AbortSignal) => client.send(complete, { abortSignal })
    // Not probed with a large file: a service may respond to nothing else while it puts the parts together, which can
    // take minutes. https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
    await (size > PROBED_END_BYTES_MAX ? client.send(complete) : transfer(probe, send, { fileBytes: size }))
  } catch (error) {
    const aborted = abortUpload(client, object, UploadId).catch(() => {})
    // A storage that is away is not waited for.
    if (!(error instanceof StorageError)) await aborted
    throw error
  }
}

async function abortUpload(client: S3Client, object: S3Object, uploadId: string | undefined): Promise<void> {
  try {
    const command = new AbortMultipartUploadCommand({ ...object, UploadId: uploadId })
    await sendCall((abortSignal) => client.send(command, { abortSignal }))
  } catch (error) {
    if (!(error instanceof NoSuchUpload)) throw error
  }
}

/** The ids of uploads to the object that were neither completed nor aborted. */
async function listUnfinishedUploads(client: S3Client, { Bucket, Key }: S3Object): Promise<(string | undefined)[]> {
  try {
    const command = new ListMultipartUploadsCommand({ Bucket, Prefix: Key })
    const { Uploads = [] } = await sendCall((abortSignal) => client.send(command, { abortSignal }))
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
