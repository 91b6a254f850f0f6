import { createReadStream } from 'node:fs'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  NoSuchUpload,
  NotFound,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
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

/** Of a file on its way, PART_BYTES × PARTS_AT_ONCE are in memory. S3 takes 10,000 parts, so a file may have 80 GB. */
const PART_BYTES = 8 * 2 ** 20
const PARTS_AT_ONCE = 2

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
      const upload = new Upload({
        client,
        params: { ...objectOf(key), Body: createReadStream(path), ContentType: mimeType },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
        // Its own way of aborting leaves the parts where the last step fails, and throws what the abort throws.
        leavePartsOnError: true,
      })
      try {
        await upload.done()
      } catch (error) {
        if (upload.uploadId !== undefined) await abort(key, upload.uploadId).catch(() => {})
        throw error
      }
    },

    async remove(key) {
      const object = objectOf(key)
      // Uploads first: one that is completed in between has made an object, and that goes next.
      for (const uploadId of await unfinishedUploads(key)) await abort(key, uploadId)
      await client.send(new DeleteObjectCommand(object))
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
