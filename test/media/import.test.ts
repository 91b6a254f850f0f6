import { once } from 'node:events'
import http, { type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { createFetchFile } from '../../src/features/media/fetch.ts'
import { createWorld } from '../helpers/app.ts'
import { filesIn, form, jpeg } from '../helpers/upload.ts'

/** A server on loopback, and the service with 127.0.0.1 as the only public address. */
async function createScene(t: Test, listener: RequestListener, bytesMax = 2 ** 20) {
  const server = http.createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const client = createPublicClient({
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    isAllowed: (address) => address === '127.0.0.1',
  })
  const fetchFile = createFetchFile(client)
  const world = await createWorld(t, { media: { fetchFile, bytesMax } })
  const ada = await world.user()
  const { port } = server.address() as AddressInfo
  return { ...world, ada, url: `http://files.example:${port}` }
}

t.test('an imported file is inspected and kept like an uploaded one', async (t) => {
  const image = await jpeg(40, 30)
  const { ada, app, url } = await createScene(t, (request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/a.png' }).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end(image)
  })
  const { status, body } = await ada.call('POST', '/media/import', { url: `${url}/a.png`, altText: 'A tower' })
  t.equal(status, 201)
  t.match(body, {
    kind: 'image',
    mimeType: 'image/jpeg',
    bytes: image.length,
    width: 40,
    height: 30,
    altText: 'A tower',
  })
  const content = await app.inject({
    url: `/api/v1/media/${body.id}/content`,
    headers: { authorization: `Bearer ${ada.key}` },
  })
  t.ok(content.rawPayload.equals(image))
  const again = await ada.call('POST', '/media/import', { url: `${url}/moved` })
  t.strictSame([again.status, again.body], [200, body], 'the same bytes are the same file')
})

t.test('a file that cannot be fetched or used is refused with a reason, and is not kept', async (t) => {
  const image = await jpeg()
  const { ada, url, mediaDir, db } = await createScene(
    t,
    (request, response) => {
      if (request.url === '/gone') response.writeHead(404).end()
      else if (request.url === '/page') response.end('<html>')
      else if (request.url === '/cut') {
        response.writeHead(200, { 'content-length': image.length })
        response.write(image.subarray(0, -20), () => response.destroy())
      } else if (request.url === '/large') response.end(Buffer.alloc(2 ** 16))
      else if (request.url === '/drip') response.write(Buffer.alloc(2 ** 16))
    },
    2 ** 15,
  )
  const refused: [path: string, status: number, error: RegExp][] = [
    ['/gone', 400, /responded with 404$/],
    ['/page', 400, /^file type is not supported/],
    ['/cut', 400, /cut off the file$/],
    ['/large', 413, /^File is larger than 32768 bytes$/],
    ['/drip', 413, /^File is larger than 32768 bytes$/],
  ]
  for (const [path, status, error] of refused) {
    const reply = await ada.call('POST', '/media/import', { url: url + path })
    t.match([reply.status, reply.body], [status, { error }], path)
    t.strictSame(Object.keys(reply.body), ['error'])
  }
  t.strictSame(await filesIn(mediaDir), [])
  t.strictSame(await db.selectFrom('looseFiles').selectAll().execute(), [])
})

t.test('a body without a valid web address is refused with details', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const wrong: [body: object, details: object][] = [
    [{}, { code: 'invalid_type', path: ['url'], message: 'Required' }],
    [{ url: 5 }, { code: 'invalid_type', path: ['url'] }],
    [{ url: '' }, { path: ['url'] }],
    [
      { url: 'photo.jpg' },
      {
        code: 'invalid_string',
        validation: 'url',
        path: ['url'],
        message: 'Invalid url: begin with https:// and a host, such as https://app.example.com/hook',
      },
    ],
    [{ url: 'ftp://example.com/a' }, { path: ['url'] }],
    [{ url: 'file:///etc/passwd' }, { path: ['url'] }],
    [{ url: 'data:image/png;base64,AAAA' }, { path: ['url'] }],
    [{ url: 'https://user:secret@example.com/a' }, { path: ['url'] }],
    [{ url: `https://example.com/${'a'.repeat(2_100)}` }, { code: 'too_big', path: ['url'] }],
    [
      { url: 'https://example.com/a', altText: null },
      { code: 'invalid_type', path: ['altText'] },
    ],
    [
      { url: 'https://example.com/a', alt: 'x' },
      { code: 'unrecognized_keys', keys: ['alt'] },
    ],
  ]
  for (const [body, details] of wrong) {
    const reply = await ada.call('POST', '/media/import', body)
    t.match(
      [reply.status, reply.body],
      [400, { error: 'Invalid request', details: [details] }],
      JSON.stringify(body).slice(0, 60),
    )
  }
})

t.test('only uploads accept a form; other operations require JSON', async (t) => {
  const { app, user } = await createWorld(t)
  const { key } = await user()
  const { type, body } = await form([['file', await jpeg()]])
  for (const [method, path] of [
    ['POST', '/media/import'],
    ['PATCH', '/media/0196f0a1-0000-7000-8000-000000000000'],
    ['POST', '/posts'],
  ] as const) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const reply = await app.inject({ method, url: `/api/v1${path}`, headers, payload: body })
    const message = 'Content-Type must be application/json'
    t.match([reply.statusCode, reply.json()], [400, { details: [{ code: 'invalid_content_type', message }] }], path)
  }
})

t.test('all non-public addresses get the same response, whether a server listens there or not', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  let requests = 0
  const server = http.createServer((_request, response) => response.end(String(++requests))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const hosts = ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]', '0.0.0.0', '[::1]', '[64:ff9b::7f00:1]']
  const closed = [
    '127.0.0.1:1',
    '10.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '[fe80::1]',
    '[fc00::1]',
    'nowhere.invalid',
  ]
  for (const host of [...hosts.map((host) => `${host}:${port}`), ...closed]) {
    const { status, body } = await ada.call('POST', '/media/import', { url: `http://${host}/secret` })
    t.strictSame(
      [status, body],
      [
        400,
        {
          error:
            'The host of url does not resolve to a public address: check its spelling. The operator of the service can allow private hosts: OUTBOUND_ALLOW',
        },
      ],
      host,
    )
  }
  t.equal(requests, 0, 'no server got a request')
})
