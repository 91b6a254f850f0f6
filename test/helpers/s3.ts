import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { S3Options } from '../../src/storage/s3.ts'
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
}

/**
 * Starts s3rver on a free port of the loopback address, with an empty bucket, keeping its files in `directory`. It checks
 * no signatures, and supports neither ListMultipartUploads nor AbortMultipartUpload.
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
      // A host name: with an IP address, the SDK uses path style even where `forcePathStyle` is missing.
      endpoint: `http://localhost:${port}`,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    requests: [],
    answer: () => false,
  }
  const [handle] = httpServer.listeners('request') as RequestListener[]
  httpServer.removeAllListeners('request')
  httpServer.on('request', (request, response) => {
    s3.requests.push(`${request.method} ${request.url}`)
    if (!s3.answer(request, response)) handle!(request, response)
  })
  return s3
}

/** Sends an error in the format of S3. */
export function refuse(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' })
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>No</Message></Error>`)
  return true
}
