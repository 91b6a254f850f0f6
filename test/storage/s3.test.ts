import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import t from 'tap'
import { s3Storage } from '../../src/base/storage/s3.ts'
import { isRealS3, refuse } from '../helpers/s3.ts'
import { AS, ask, bodyOf, bytesOf, createS3Scene, KEY, MIB, OTHER_KEY, untilFilesClosed, withoutProc } from './scene.ts'

/**
 * The signature of a presigned URL, computed as documented, because s3rver does not check signatures:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
function signatureOf(method: string, url: URL, { secretAccessKey }: { secretAccessKey: string }): string {
  const [, ...scope] = url.searchParams.get('X-Amz-Credential')!.split('/')
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .sort()
    .join('&')
  const canonical = [method, url.pathname, query, `host:${url.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const text = [
    'AWS4-HMAC-SHA256',
    url.searchParams.get('X-Amz-Date'),
    scope.join('/'),
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n')
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
  return hmac(scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`), text).toString('hex')
}

t.test('serve redirects to a signed URL for one method that expires in minutes', async (t) => {
  const { storage, incoming, url, s3 } = await createS3Scene(t)
  const bytes = bytesOf(1000)
  await storage.put(KEY, await incoming(bytes), 'image/gif')
  const object = `/media/${KEY}`
  t.equal(await s3.contentTypeOf(KEY), 'image/gif')
  for (const method of ['GET', 'HEAD']) {
    const redirect = await ask(`${url}/${KEY}`, { method })
    t.equal(redirect.statusCode, 307)
    t.equal(redirect.headers['cache-control'], 'no-store')
    t.equal((await bodyOf(redirect)).length, 0)
    const location = new URL(redirect.headers.location!)
    t.equal(location.pathname, object)
    t.equal(location.searchParams.get('X-Amz-Expires'), '300')
    t.equal(location.searchParams.get('X-Amz-Signature'), signatureOf(method, location, s3.options.credentials))
    t.equal(location.searchParams.get('X-Amz-SignedHeaders'), 'host', 'no header that a client would have to send')
    t.notOk(location.searchParams.has('x-amz-checksum-mode'), 'no parameter that only AWS supports')
    const response = await ask(location.href, { method, headers: { range: 'bytes=10-19' } })
    t.equal(response.headers['content-type'], 'image/png')
    t.equal(response.headers['content-disposition'], 'inline; filename="media-1.png"')
    const body = await bodyOf(response)
    if (method === 'GET') t.ok(body.equals(bytes.subarray(10, 20)), 'S3 serves ranges')
  }
})

t.test('uploads consist of plain requests of bounded size that every service supports', async (t) => {
  const { put, s3 } = await createS3Scene(t)
  const sent: IncomingMessage[] = []
  s3.answer = (request) => sent.push(request) === 0
  await put(bytesOf(20 * MIB))
  await put(bytesOf(10), OTHER_KEY)
  // On a slow machine, a transfer is watched by further HEADs.
  const isWatch = ({ method, url }: IncomingMessage, index: number) =>
    method === 'HEAD' && sent.findIndex((each) => each.method === 'HEAD' && each.url === url) !== index
  const requests = sent.filter((request, index) => !isWatch(request, index))
  const summary = requests.map(({ method, url, headers }) => {
    t.notMatch(Object.keys(headers).join(), /checksum|trailer/)
    t.notOk(headers['content-encoding'])
    return `${method} ${url!.replace(/uploadId=[^&]+/, 'uploadId=…')} ${headers['content-length'] ?? 0}`
  })
  t.strictSame(summary, [
    `HEAD /media/${KEY} 0`,
    `POST /media/${KEY}?uploads= 0`,
    ...[1, 2, 3, 4].map((part) => `PUT /media/${KEY}?partNumber=${part}&uploadId=…&x-id=UploadPart ${5 * MIB}`),
    `POST /media/${KEY}?uploadId=… ${requests[6]!.headers['content-length']}`,
    `HEAD /media/${OTHER_KEY} 0`,
    `PUT /media/${OTHER_KEY}?x-id=PutObject 10`,
  ])
  const parts = sent.filter(({ method }) => method === 'PUT')
  for (const { headers } of parts) t.match(headers['x-amz-content-sha256'], /^[0-9a-f]{64}$/)
})

t.test('a failed upload leaves nothing, and throws the error of S3', async (t) => {
  const refusals: [name: string, refused: RegExp, length: number][] = [
    ['the check for an existing object', /^HEAD/, 10],
    ['a small object', /^PUT [^?]+\?x-id=PutObject/, 10],
    ['the start of an upload in parts', /^POST [^?]+\?uploads/, 20 * MIB],
    ['the first part', /partNumber=1/, 20 * MIB],
    ['the last part', /partNumber=4/, 20 * MIB],
    ['the end of an upload in parts', /^POST [^?]+\?uploadId/, 20 * MIB],
  ]
  for (const [name, refused, length] of refusals) {
    for (const canAbort of [true, false]) {
      await t.test(`${name}, ${canAbort ? 'aborted' : 'abort refused'}`, async (t) => {
        const { put, s3, url, folder } = await createS3Scene(t)
        const aborted: string[] = []
        s3.answer = ({ method, url }, response) => {
          if (method === 'DELETE') {
            aborted.push(url!)
            if (!canAbort) return refuse(response, 403, 'AccessDenied')
            response.writeHead(204).end()
            return true
          }
          return refused.test(`${method} ${url}`) && refuse(response, 400, 'EntityTooLarge')
        }
        const error = await put(bytesOf(length)).catch(String)
        t.match(error, /^(?:EntityTooLarge: No|Error: S3 responded with 400 to HeadObject)$/)
        const begun = s3.requests.some((each) => /partNumber/.test(each))
        t.equal(aborted.length, begun ? 1 : 0)
        for (const url of aborted) t.match(url, new RegExp(`^/media/${KEY}\\?uploadId=`))
        s3.answer = () => false
        t.equal((await fetch(`${url}/${KEY}`)).status, 404)
        if (withoutProc === false) await untilFilesClosed(join(folder, 'incoming'))
      })
    }
  }
})

t.test('a temporary refusal is retried, three attempts in total', async (t) => {
  const { put, s3, url } = await createS3Scene(t)
  let failures = 0
  s3.answer = ({ method }, response) => {
    if (method !== 'PUT' || ++failures > 2) return false
    return refuse(response, 503, 'SlowDown')
  }
  await put(Buffer.from('hello'))
  t.equal(await (await fetch(`${url}/${KEY}`)).text(), 'hello')

  s3.requests.length = 0
  s3.answer = (_, response) => refuse(response, 503, 'SlowDown')
  const reply = await fetch(`${url}/${KEY}`)
  t.equal(reply.status, 500, 'an unavailable storage is not a missing file')
  t.equal(s3.requests.length, 3)
})

t.test('removing aborts interrupted uploads to the key', async (t) => {
  const { storage, put, s3, url } = await createS3Scene(t)
  await put(Buffer.from('hello'))
  const aborted: string[] = []
  const uploads = [
    [KEY, 'one'],
    [KEY, 'two'],
    [`${KEY}-other`, 'three'],
  ].map(([key, id]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
  s3.answer = ({ method, url }, response) => {
    if (method === 'DELETE' && url!.includes('uploadId')) {
      aborted.push(url!)
      // Already aborted by another process.
      if (url!.includes('two')) return refuse(response, 404, 'NoSuchUpload')
      response.writeHead(204).end()
      return true
    }
    if (method !== 'GET' || !url!.includes('uploads')) return false
    t.equal(new URL(url!, 's3://').searchParams.get('prefix'), KEY)
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(`<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`)
    return true
  }
  await storage.remove(KEY)
  t.strictSame(
    aborted.map((each) => new URL(each, 'http://s3').searchParams.get('uploadId')),
    ['one', 'two'],
  )
  s3.answer = () => false
  t.equal((await fetch(`${url}/${KEY}`)).status, 404)
})

t.test('removing ends an upload that another process began', { skip: !isRealS3 && 'needs make test-s3' }, async (t) => {
  const { storage, s3 } = await createS3Scene(t)
  const object = { Bucket: s3.options.bucket, Key: KEY }
  const { UploadId } = await s3.client.send(new CreateMultipartUploadCommand(object))
  await s3.client.send(new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: bytesOf(5 * MIB) }))
  await storage.remove(KEY)
  const { Uploads = [] } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: object.Bucket }))
  t.strictSame(Uploads, [])
})

t.test('removing fails if uploads cannot be listed, unless the service does not support listing', async (t) => {
  const { storage, s3 } = await createS3Scene(t)
  s3.answer = ({ method }, response) => method === 'GET' && refuse(response, 403, 'AccessDenied')
  await t.rejects(storage.remove(KEY), { message: 'S3 responded with 403 AccessDenied to ListMultipartUploads' })
  s3.answer = ({ method }, response) => method === 'GET' && refuse(response, 501, 'NotImplemented')
  await storage.remove(KEY)
  s3.answer = ({ method }, response) => method === 'DELETE' && refuse(response, 403, 'AccessDenied')
  await t.rejects(storage.remove(KEY), { message: 'S3 responded with 403 AccessDenied to DeleteObject' })
})

t.test('the first call opens the first connection, and errors name the response or the failure', async (t) => {
  const { s3, incoming } = await createS3Scene(t)
  s3Storage({ bucket: 'media', region: 'eu-central-1' })
  const elsewhere = s3Storage({ ...s3.options, bucket: 'none' })
  t.strictSame(s3.requests, [])
  await t.rejects(elsewhere.put(KEY, await incoming(Buffer.from('x')), AS.mimeType), {
    message: 'S3 responded with 404 NoSuchBucket to PutObject',
  })
  const nowhere = s3Storage({ ...s3.options, endpoint: 'http://127.0.0.1:9' })
  await t.rejects(nowhere.remove(KEY), { message: 'S3 cannot be reached: ECONNREFUSED', code: undefined })
})
