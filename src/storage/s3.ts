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
import { assertKey, CACHE_CONTROL, disposition, NotStored, type Storage } from './storage.ts'

export interface S3Options {
  bucket: string
  region: string
  /** The URL of an S3-compatible service. Absent, it is AWS. Whoever fetches media is sent there as well. */
  endpoint?: string
  /** Absent, the SDK looks for some in its own places: AWS_* in the environment, ~/.aws, the machine's role. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** The least that S3 takes, since one part is in memory; of a file with more than 10,000, the most that it takes, more. */
const PART_BYTES_MIN = 5 * 2 ** 20
const PARTS_MAX = 10_000

/** Long enough to follow a redirect, short enough that an address which was passed on is soon worthless. */
const ADDRESS_SECONDS = 300

/**
 * Media as objects in a bucket, named by their keys. Nothing connects until the first call. What S3 answers is thrown as
 * it is, after three attempts. Needs s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload,
 * s3:ListBucketMultipartUploads, and s3:ListBucket: without that one, S3 says 403 instead of 404 of what is not there
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html).
 */
export function s3Storage({ bucket, region, endpoint, credentials }: S3Options): Storage {
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    maxAttempts: 3,
    // A socket that is silent for so long. `requestTimeout` would count the whole time of a request, and only warn.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
    // The default adds checksums, to streams as trailers in aws-chunked encoding; services that do not know it refuse them
    // or store them as content. The signature covers the SHA-256 of each part all the same.
    // https://docs.aws.amazon.com/sdkref/latest/guide/feature-dataintegrity.html
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

  // After all attempts. The codes of these errors are those of any connection, and would be taken for the database's.
  client.middlewareStack.add((next) => (request) => next(request).catch(rethrow), { step: 'initialize' })

  const isStored = async (key: string): Promise<boolean> => {
    try {
      await client.send(new HeadObjectCommand(objectOf(key)))
      return true
    } catch (error) {
      if (error instanceof NotFound) return false
      // To a HEAD, S3 can't say what is wrong, and the SDK calls every status an UnknownError.
      if (error instanceof S3ServiceException && error.name === 'Unknown') {
        error.message = `S3 answers ${error.$metadata.httpStatusCode} to HEAD`
      }
      throw error
    }
  }

  const objectOf = (key: string) => {
    assertKey(key)
    return { Bucket: bucket, Key: key }
  }

  const abort = async (key: string, uploadId: string | undefined): Promise<void> => {
    try {
      await client.send(new AbortMultipartUploadCommand({ ...objectOf(key), UploadId: uploadId }))
    } catch (error) {
      if (!(error instanceof NoSuchUpload)) throw error
    }
  }

  return {
    async put(key, path, mimeType) {
      // `If-None-Match: *` would do without this round trip, but not every service knows it, and where the answer to a
      // PUT is lost on its way, the SDK's second attempt would be refused because of the first.
      if (await isStored(key)) throw new Error(`There is an object under ${key} already`)
      const file = await open(path)
      try {
        await putFile(key, file, mimeType)
      } finally {
        await file.close()
      }
    },

    async remove(key) {
      const object = objectOf(key)
      // Uploads first: one that is completed in between has made an object, and that goes next.
      for (const uploadId of await unfinishedUploads(key)) await abort(key, uploadId)
      await client.send(new DeleteObjectCommand(object))
    },

    async read(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand(objectOf(key)))
        return Body as Readable
      } catch (error) {
        throw error instanceof NoSuchKey ? new NotStored() : error
      }
    },

    async serve(key, request, { mimeType, fileName }) {
      // One more round trip, so that what is missing is said here, and not by S3 behind a redirect that promised it.
      if (!(await isStored(key))) throw new NotStored()
      const object = {
        ...objectOf(key),
        ResponseContentType: mimeType,
        ResponseContentDisposition: disposition(fileName),
        ResponseCacheControl: CACHE_CONTROL,
      }
      // A signature holds for one method.
      const command = request.method === 'HEAD' ? new HeadObjectCommand(object) : new GetObjectCommand(object)
      const location = await getSignedUrl(client, command, { expiresIn: ADDRESS_SECONDS })
      return { statusCode: 307, headers: { Location: location, 'Cache-Control': 'no-store' }, body: undefined }
    },
  }

  /** Part by part through one buffer: the SDK's own Upload makes new ones, and 1 GiB takes 100 MB more. */
  async function putFile(key: string, file: FileHandle, mimeType: string): Promise<void> {
    const { size } = await file.stat()
    const partBytes = Math.max(PART_BYTES_MIN, Math.ceil(size / PARTS_MAX))
    const buffer = Buffer.allocUnsafe(Math.min(size, partBytes))
    const object = objectOf(key)
    if (size <= partBytes) {
      await client.send(
        new PutObjectCommand({ ...object, Body: await readPart(file, buffer, 0), ContentType: mimeType }),
      )
      return
    }

    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...object, ContentType: mimeType }))
    try {
      const Parts: CompletedPart[] = []
      for (let at = 0; at < size; at += partBytes) {
        const part = { PartNumber: Parts.length + 1, Body: await readPart(file, buffer, at) }
        const { ETag } = await client.send(new UploadPartCommand({ ...object, UploadId, ...part }))
        Parts.push({ PartNumber: part.PartNumber, ETag })
      }
      await client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }))
    } catch (error) {
      await abort(key, UploadId).catch(() => {})
      throw error
    }
  }

  /** The ids of uploads to `key` that were begun and neither completed nor aborted. */
  async function unfinishedUploads(key: string): Promise<(string | undefined)[]> {
    try {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key }))
      return Uploads.filter(({ Key }) => Key === key).map(({ UploadId }) => UploadId)
    } catch (error) {
      // Where they can't be listed, the bucket's own rule for unfinished uploads has to do.
      // https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
      if (error instanceof S3ServiceException && error.name === 'NotImplemented') return []
      throw error
    }
  }
}

/** Fills the buffer from there on, as far as the file goes. */
async function readPart(file: FileHandle, buffer: Buffer, at: number): Promise<Buffer> {
  let filled = 0
  for (let bytesRead = -1; filled < buffer.length && bytesRead !== 0; filled += bytesRead) {
    bytesRead = (await file.read(buffer, filled, buffer.length - filled, at + filled)).bytesRead
  }
  return buffer.subarray(0, filled)
}

function rethrow(error: NodeJS.ErrnoException): never {
  if (error instanceof S3ServiceException) throw error
  throw new Error(`S3 cannot be reached: ${error.code ?? error.name}`, { cause: error })
}
