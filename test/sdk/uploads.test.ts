import { createReadStream, openAsBlob } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Postroom, responseOf } from '../../src/clients/sdk/index.ts'
import { createFolder, createWorld } from '../helpers/app.ts'
import { startCuttingProxy } from '../helpers/cutting-proxy.ts'
import { scriptService } from '../helpers/scripted-service.ts'
import { jpeg } from '../helpers/upload.ts'
import { videoOf } from '../media/upload-scene.ts'

const MIB = 2 ** 20

t.test('a file is uploaded from bytes, blobs and streams, with all that describes it', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const client = new Postroom({ key: ada.key, baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }) })
  const folder = await createFolder(t)
  let shade = 0
  const newFile = async () => {
    const bytes = new Uint8Array(await jpeg(40, 30, shade++))
    const path = join(folder, `${shade}.jpg`)
    await writeFile(path, bytes)
    return { bytes, path }
  }
  async function* chunks(bytes: Uint8Array) {
    for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100)
  }
  const sources = {
    bytes: ({ bytes }) => bytes,
    'an ArrayBuffer': ({ bytes }) => bytes.buffer,
    'a Blob': ({ bytes }) => new Blob([bytes]),
    'a File': ({ bytes }) => new File([bytes], 'lighthouse.jpg'),
    'a file on disk': ({ path }) => openAsBlob(path),
    'a stream of Node': ({ path }) => createReadStream(path),
    'a stream of the web': ({ bytes }) => new Blob([bytes]).stream(),
    'a generator': ({ bytes }) => chunks(bytes),
    'a function':
      ({ path }) =>
      () =>
        createReadStream(path),
    'a function that waits':
      ({ path }) =>
      () =>
        openAsBlob(path),
  } satisfies Record<string, (file: { bytes: Uint8Array<ArrayBuffer>; path: string }) => unknown>
  for (const [name, source] of Object.entries(sources)) {
    const file = await newFile()
    const media = await client.uploads.create(await source(file), {
      fileName: 'a "quoted"\r\nname.jpg',
      altText: 'A lighthouse,\r\nat “dusk”.',
      externalReference: 'asset-1',
      metadata: { campaign: 'spring' },
    })
    t.match(
      media,
      { width: 40, height: 30, altText: 'A lighthouse,\r\nat “dusk”.', externalReference: 'asset-1' },
      name,
    )
    t.match(media.fileName, /quoted/, name)
    t.strictSame(media.metadata, { campaign: 'spring' }, name)
    const content = await client.media.content(media.id)
    t.ok(Buffer.from(await content.arrayBuffer()).equals(await readFile(file.path)), name)
  }
  const named = await client.uploads.create(new File([new Uint8Array(await jpeg(50, 50))], 'lighthouse.jpg'))
  t.equal(named.fileName, 'lighthouse.jpg')
  const range = await client.media.content(named.id, { range: 'bytes=0-1' })
  t.strictSame([range.status, (await range.arrayBuffer()).byteLength], [206, 2])
  await t.rejects(client.uploads.create(new Uint8Array([1, 2, 3])), {
    name: 'InvalidRequest',
    code: 'file_type_unsupported',
  })
})

t.test('an upload that can be read again is repeated with its key; a stream that was read is not', async (t) => {
  const lost: Parameters<typeof scriptService>[1][0] = (response) => response.socket!.destroy()
  const stored = { status: 201, body: { id: 'a' } }
  const opens = async function* () {
    yield new TextEncoder().encode('the file')
  }
  const { client, seen } = await scriptService(t, [lost, stored])
  await client.uploads.create(opens)
  t.equal(seen.length, 2)
  t.equal(seen[0]!.headers['idempotency-key'], seen[1]!.headers['idempotency-key'])
  t.equal(seen[0]!.body, seen[1]!.body)
  t.match(
    seen[0]!.body,
    /filename="file"\r\ncontent-type: application\/octet-stream\r\n\r\nthe file\r\n--postroom-\w+--\r\n$/,
  )

  const once = await scriptService(t, [lost, stored])
  await t.rejects(once.client.uploads.create(opens()), { name: 'ConnectionError' })
  t.equal(once.seen.length, 1)

  const limited = { status: 429, headers: { 'retry-after': '0' }, body: { error: 'Too many requests' } }
  const refused = await scriptService(t, [limited, stored])
  await t.rejects(refused.client.uploads.create(opens()), { name: 'RateLimited' })
  t.equal(refused.seen.length, 1)
})

t.test('a large file goes on where its connection was lost', async (t) => {
  const { client, cuts, world } = await createLossyScene(t)
  const video = videoOf(24 * MIB)
  cuts.push(3 * MIB, 10 * MIB)
  const media = await client.uploads.create(new Blob([video]), { fileName: 'a.mp4', altText: 'Boats.' })
  t.hasStrict(media, { fileName: 'a.mp4', altText: 'Boats.', bytes: video.length })
  t.strictSame(cuts, [], 'the connection was lost twice')
  const content = await client.media.content(media.id)
  t.ok(Buffer.from(await content.arrayBuffer()).equals(video))
  const again = await client.uploads.create(() => new Uint8Array(video), { altText: 'Ships.' })
  t.strictSame(again, media, 'a known file is returned as it was stored')
  t.equal((await client.media.list()).data.length, 1)
  cuts.push(...Array.from({ length: 9 }, () => 1_000))
  const other = new Blob([video, new Uint8Array(8)])
  await t.rejects(client.uploads.create(other), { name: 'ConnectionError' }, 'without progress, it ends')
  cuts.length = 0
  await t.rejects(client.uploads.create(new Blob([new Uint8Array(9 * MIB)])), { code: 'file_type_unsupported' })
  t.equal(world.app.server.listening, true)
})

t.test('a service without addresses gets a form', async (t) => {
  const { client } = await createLossyScene(t, { keyring: undefined })
  const media = await client.uploads.create(new Blob([new Uint8Array(videoOf(9 * MIB))]), { fileName: 'a.mp4' })
  t.equal(media.bytes, 9 * MIB)
})

async function createLossyScene(t: Test, options: Parameters<typeof createWorld>[1] = {}) {
  const world = await createWorld(t, options)
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.app.server.address() as AddressInfo
  const cuts: number[] = []
  const baseUrl = await startCuttingProxy(t, { port }, cuts)
  return { world, cuts, client: new Postroom({ key: (await world.user()).key, baseUrl }) }
}

t.test('the API key is not sent to the server that a redirect leads to', async (t) => {
  const bucket = await scriptService(t, [{ status: 200, body: 'the bytes' }])
  const { client } = await scriptService(t, [
    { status: 307, headers: { location: `${bucket.baseUrl}/bucket/file?signed=1` } },
  ])
  const content = await client.media.content('a', { range: 'bytes=0-3' })
  t.equal(await content.text(), 'the bytes')
  t.equal(bucket.seen[0]!.url, '/bucket/file?signed=1')
  t.equal(bucket.seen[0]!.headers.authorization, undefined)
  t.equal(bucket.seen[0]!.headers.range, 'bytes=0-3')
  t.equal(responseOf({}), undefined)
})
