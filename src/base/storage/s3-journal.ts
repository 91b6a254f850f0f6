import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { assertName, type JournalFiles } from './journal.ts'
import { createClient, type S3Options } from './s3-client.ts'

const PREFIX = 'journal/'

/** Keeps segments as objects in the bucket, under `journal/`. */
export function s3JournalFiles(options: S3Options): JournalFiles {
  const client = createClient(options)
  const Bucket = options.bucket
  const prefixOf = (installation: string) => `${PREFIX}${assertName(installation)}/`
  const objectOf = (installation: string, name: string) => ({
    Bucket,
    Key: `${prefixOf(installation)}${assertName(name)}`,
  })

  return {
    async write(installation, name, text) {
      const object = { ...objectOf(installation, name), Body: text, ContentType: 'application/x-ndjson' }
      await client.send(new PutObjectCommand(object))
    },
    async remove(installation, name) {
      await client.send(new DeleteObjectCommand(objectOf(installation, name)))
    },
    async list(installation, after, count = Infinity) {
      const Prefix = prefixOf(installation)
      const names: string[] = []
      for (let StartAfter = `${Prefix}${after}`; names.length < count; ) {
        // 1,000 names at most: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
        const { Contents = [], IsTruncated } = await client.send(
          new ListObjectsV2Command({ Bucket, Prefix, StartAfter }),
        )
        for (const { Key } of Contents) names.push(Key!.slice(Prefix.length))
        if (!IsTruncated || Contents.length === 0) break
        StartAfter = Contents.at(-1)!.Key!
      }
      return names.slice(0, count)
    },
    async read(installation, name) {
      const { Body } = await client.send(new GetObjectCommand(objectOf(installation, name)))
      return Body!.transformToString()
    },
    async installations() {
      const found: string[] = []
      for (let token: string | undefined; ; ) {
        const page = { Bucket, Prefix: PREFIX, Delimiter: '/', ...(token && { ContinuationToken: token }) }
        const { CommonPrefixes = [], NextContinuationToken } = await client.send(new ListObjectsV2Command(page))
        for (const { Prefix } of CommonPrefixes) found.push(Prefix!.slice(PREFIX.length, -1))
        if (!NextContinuationToken) return found
        token = NextContinuationToken
      }
    },
  }
}
