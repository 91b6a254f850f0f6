import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import type { S3Options } from '../../src/base/storage/s3.ts'
import type { Teardown } from './database.ts'

/** The part of s3rver that is used here. The package has no types. */
interface S3rver {
  httpServer: Server
  run(): Promise<AddressInfo>
  close(): Promise<void>
}

const S3rver: new (options: object) => S3rver = createRequire(import.meta.url)('s3rver')

export interface S3 {
  options: Required<S3Options>
  /** Requests so far, such as `PUT /media/0a…?partNumber=1`. */
  requests: string[]
  /** Replace it to handle requests before S3 does; returns true if it sent the response. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean
  /** A client of the same S3. */
  client: S3Client
  /** The keys of the objects in the bucket. */
  objects(): Promise<string[]>
  /** The content type that is stored with an object. */
  contentTypeOf(key: string): Promise<string | undefined>
}

/** Whether tests use a real S3, which supports everything. s3rver does not. */
export const isRealS3 = process.env.TEST_S3_ENDPOINT !== undefined

const BUCKET = { Bucket: 'media' }

/**
 * Starts an S3 on a free port of the loopback address, with an empty bucket. It is s3rver, which keeps its files in
 * `directory`, checks no signatures, and supports neither ListMultipartUploads nor AbortMultipartUpload. If
 * TEST_S3_ENDPOINT is set, it is a proxy to the S3 there.
 */
export async function startS3(t: Teardown, directory: string): Promise<S3> {
  const server = isRealS3 ? await startProxy(t) : await startS3rver(t, directory)
  const { port } = server.address() as AddressInfo
  const options = {
    bucket: BUCKET.Bucket,
    region: 'us-east-1',
    // A host name: with an IP address, the SDK uses path style even if `forcePathStyle` is missing.
    endpoint: `http://localhost:${port}`,
    credentials: {
      accessKeyId: process.env.TEST_S3_ACCESS_KEY_ID ?? 'S3RVER',
      secretAccessKey: process.env.TEST_S3_SECRET_ACCESS_KEY ?? 'S3RVER',
    },
  }
  const client = new S3Client({ ...options, forcePathStyle: true })
  t.teardown(async () => client.destroy())
  if (isRealS3) await emptyBucket(client)

  const s3: S3 = {
    options,
    requests: [],
    answer: () => false,
    client,
    async objects() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command(BUCKET))
      return Contents.map(({ Key }) => Key!)
    },
    async contentTypeOf(key) {
      return (await client.send(new HeadObjectCommand({ ...BUCKET, Key: key }))).ContentType
    },
  }
  const [handle] = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    s3.requests.push(`${request.method} ${request.url}`)
    if (!s3.answer(request, response)) handle!(request, response)
  })
  return s3
}

async function startS3rver(t: Teardown, directory: string): Promise<Server> {
  const s3rver = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET.Bucket }],
  })
  await s3rver.run()
  t.teardown(async () => {
    s3rver.httpServer.closeAllConnections()
    await s3rver.close()
  })
  return s3rver.httpServer
}

/** Forwards requests unchanged: the `Host` header is signed. */
async function startProxy(t: Teardown): Promise<Server> {
  const { hostname, port } = new URL(process.env.TEST_S3_ENDPOINT!)
  const server = http.createServer((request, response) => {
    const { method, url, rawHeaders } = request
    const forwarded = http.request({ hostname, port, method, path: url, headers: rawHeaders })
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders)
      pipeline(answer, response, () => {})
    })
    // S3 may respond, and close, before it has read the whole request.
    pipeline(request, forwarded, (error) => error && !response.headersSent && response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/** Creates the bucket if it is missing, and deletes what earlier tests left in it. */
async function emptyBucket(client: S3Client): Promise<void> {
  await client.send(new CreateBucketCommand(BUCKET))
  const { Contents = [] } = await client.send(new ListObjectsV2Command(BUCKET))
  for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ ...BUCKET, Key }))
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(BUCKET))
  for (const { Key, UploadId } of Uploads) {
    await client.send(new AbortMultipartUploadCommand({ ...BUCKET, Key, UploadId }))
  }
}

/**
 * Accepts requests without a response, and responds to all of them `ticks` quarters of a second later. A busy machine
 * delays the ticks as it delays the timers of a client.
 */
export function hangFor(t: Teardown, s3: S3, ticks: number): void {
  const held: (() => void)[] = []
  const respond = ({ method }: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { etag: '"1"', 'content-type': 'application/xml' })
    response.end(method === 'GET' ? 'postroom' : method === 'POST' ? '<CompleteMultipartUploadResult/>' : undefined)
    return true
  }
  s3.answer = (request, response) => held.push(() => respond(request, response)) > 0
  const timer = setInterval(() => {
    if (--ticks > 0) return
    clearInterval(timer)
    s3.answer = respond
    for (const letGo of held) letGo()
  }, 250)
  t.teardown(async () => clearInterval(timer))
}

/** Sends an error in the format of S3. */
export function refuse(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' })
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>No</Message></Error>`)
  return true
}
