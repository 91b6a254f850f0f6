import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { S3Options } from '../../src/storage/s3.ts'
import type { Teardown } from './database.ts'

/** What is used here of s3rver, which has no types of its own. */
interface S3rver {
  httpServer: Server
  run(): Promise<AddressInfo>
  close(): Promise<void>
}

const S3rver: new (options: object) => S3rver = createRequire(import.meta.url)('s3rver')

export interface S3 {
  options: Required<S3Options>
  /** What has been asked so far, such as `PUT /media/0a…?partNumber=1`. */
  requests: string[]
  /** From now on, this answers in place of S3 where it gives true. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean
}

/**
 * An S3 on a free port of loopback, with an empty bucket, that keeps its files in `directory`. It checks no signatures,
 * and has neither ListMultipartUploads nor AbortMultipartUpload.
 */
export async function startS3(t: Teardown, directory: string): Promise<S3> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'media' }],
  })
  const { port } = await server.run()
  const { httpServer } = server
  t.teardown(async () => {
    httpServer.closeAllConnections()
    await server.close()
  })

  const s3: S3 = {
    options: {
      bucket: 'media',
      region: 'us-east-1',
      // By name: with a number, the SDK would put the bucket into the path unasked.
      endpoint: `http://localhost:${port}`,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    requests: [],
    answer: () => false,
  }
  const [answer] = httpServer.listeners('request') as RequestListener[]
  httpServer.removeAllListeners('request')
  httpServer.on('request', (request, response) => {
    s3.requests.push(`${request.method} ${request.url}`)
    if (!s3.answer(request, response)) answer!(request, response)
  })
  return s3
}

/** An error as S3 words it. */
export function refuse(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' })
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>No</Message></Error>`)
  return true
}
