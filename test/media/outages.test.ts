import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { s3Storage } from '../../src/base/storage/s3.ts'
import { createFolder, createWorld, mediaOptions, type Options } from '../helpers/app.ts'
import { refuse, startS3 } from '../helpers/s3.ts'
import { mountSmallDisk, withoutMounts } from '../helpers/small-disk.ts'
import { until } from '../helpers/until.ts'
import { form, jpeg, upload } from '../helpers/upload.ts'

const UNAVAILABLE = [503, 'storage_unavailable', { error: 'File storage is not available' }]
const FULL = [503, 'storage_full', { error: 'File storage has no space left' }]

/** A service with a user, whose imports get the image from memory, and whose log is collected. */
async function createScene(t: Test, media: NonNullable<Options['media']>) {
  const log: string[] = []
  const image = await jpeg(50)
  const world = await createWorld(t, {
    media: { ...media, fetchFile: async () => Readable.from([image]) },
    logger: { level: 'error', stream: { write: (line: string) => log.push(line) } },
  })
  const ada = await world.user()
  const responseOf = ({ status, headers, body }: { status: number; headers: Record<string, unknown>; body: unknown }) =>
    [status, headers['x-error-code'], body] as const
  return {
    ...world,
    ada,
    log,
    add: async (width = 40) => upload(world.app, ada, [['file', await jpeg(width)]]),
    upload: async (width = 60) => responseOf(await upload(world.app, ada, [['file', await jpeg(width)]])),
    import: async () => responseOf(await ada.call('POST', '/media/import', { url: 'https://example.com/a.jpg' })),
    content: async (id: string) => responseOf(await ada.call('GET', `/media/${id}/content`)),
  }
}

t.test('a bucket that is stopped, hangs, refuses or fails is a 503 with its reason in the log', async (t) => {
  const s3 = await startS3(t, await createFolder(t))
  // A service for each kind of request: it logs one line a second for all of them.
  const createService = async (what: 'upload' | 'import' | 'content') => {
    const scene = await createScene(t, { storage: s3Storage(s3.options) })
    const { id } = (await scene.add()).body
    const request = { upload: scene.upload, import: scene.import, content: () => scene.content(id) }[what]
    return { what, log: scene.log, request }
  }
  const services = [await createService('upload'), await createService('import'), await createService('content')]
  for (const [name, answer, reason] of [
    ['hangs', () => true, 'S3 did not respond within'],
    ['refuses', (_, response) => refuse(response, 403, 'AccessDenied'), 'S3 responded with 403 to HeadObject'],
    ['fails', (_, response) => refuse(response, 500, 'InternalError'), 'S3 responded with 500 to HeadObject'],
    ['is gone', ({ socket }) => socket.resetAndDestroy() !== undefined, 'S3 cannot be reached: ECONNRESET'],
  ] as [string, typeof s3.answer, string][]) {
    s3.answer = answer
    const check = async ({ what, log, request }: (typeof services)[number]) => {
      log.length = 0
      // On a busy machine, the limit of time may come before the reason.
      const isLogged = async () => {
        t.strictSame(await request(), UNAVAILABLE, `${what}: the bucket ${name}`)
        return log.some((line) => line.includes(reason))
      }
      await until(`${what}: the bucket ${name}, and the log has the reason`, isLogged, { intervalMs: 100 })
    }
    await Promise.all(services.map(check))
  }
  s3.answer = () => false
  for (const { what, request } of services) {
    t.equal(
      (await request())[0],
      { upload: 201, import: 201, content: 307 }[what],
      'after that, files are accepted again',
    )
  }
})

t.test('an upload gets its response although the bucket hangs while its parts are deleted', async (t) => {
  const s3 = await startS3(t, await createFolder(t))
  const scene = await createScene(t, { storage: s3Storage(s3.options) })
  s3.answer = ({ method }, response) => {
    if (method === 'HEAD') return false
    return method === 'PUT' ? refuse(response, 500, 'InternalError') : true
  }
  t.strictSame(await scene.upload(), UNAVAILABLE)
  const staged = await scene.db.selectFrom('looseFiles').select('removedAt').execute()
  t.strictSame(staged, [{ removedAt: null }], 'the response does not wait for the deletion')
})

t.test('a MEDIA_DIR without space is a 503, and leaves no part of the file', { skip: withoutMounts }, async (t) => {
  const disk = mountSmallDisk(t, 256)
  const scene = await createScene(t, mediaOptions(disk))
  const { id } = (await scene.add()).body
  await writeFile(join(disk, 'other'), Buffer.alloc(2 ** 20)).catch(() => {})
  t.strictSame(await scene.upload(), FULL)
  t.strictSame(await scene.import(), FULL)
  t.match(scene.log.join(), /ENOSPC: no space left on device/)
  t.equal((await scene.app.inject({ url: `/api/v1/media/${id}/content`, headers: auth(scene.ada) })).statusCode, 200)
  await until('nothing is left', async () => (await readdir(join(disk, 'incoming'))).length === 0)
  await rm(join(disk, 'other'))
  t.equal((await scene.upload())[0], 201, 'with space, files are accepted again')
})

t.test('an upload that is still being sent gets the 503 of a full disk', { skip: withoutMounts }, async (t) => {
  const scene = await createScene(t, mediaOptions(mountSmallDisk(t, 256)))
  const api = await scene.app.listen({ port: 0, host: '127.0.0.1' })
  const { type, body } = await form([['file', Buffer.alloc(2 ** 20, 'x')]])
  // The last bytes are never sent: the response must not wait for them.
  const unfinished = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(body.subarray(0, -100))),
  })
  const headers = { ...auth(scene.ada), 'content-type': type }
  const init = { method: 'POST', headers, body: unfinished, duplex: 'half' } as RequestInit
  const reply = await fetch(`${api}/api/v1/media`, init)
  t.strictSame([reply.status, reply.headers.get('x-error-code'), await reply.json()], FULL)
})

t.test('a MEDIA_DIR whose disk is not mounted is a 503, and no folder is made in its place', async (t) => {
  const parent = await createFolder(t)
  const scene = await createScene(t, {})
  const { id } = (await scene.add()).body
  const away = join(parent, 'away')
  for (const name of ['files', 'incoming']) await rename(join(scene.mediaDir, name), `${away}-${name}`)
  t.strictSame(await scene.content(id), UNAVAILABLE)
  t.strictSame(await scene.upload(), UNAVAILABLE)
  t.strictSame(await readdir(scene.mediaDir), [])
  for (const name of ['files', 'incoming']) await rename(`${away}-${name}`, join(scene.mediaDir, name))
  t.equal((await scene.upload())[0], 201)
})

const auth = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` })
