import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { Postroom } from '../../src/clients/sdk/index.ts'
import { createFolder } from '../helpers/app.ts'
import { postroom, runService } from '../helpers/command.ts'
import { startCuttingProxy } from '../helpers/cutting-proxy.ts'
import { createDatabase } from '../helpers/database.ts'
import { needsPython, startPython } from '../helpers/python-client.ts'
import { startS3 } from '../helpers/s3.ts'
import { until } from '../helpers/until.ts'
import { filesIn } from '../helpers/upload.ts'
import { videoOf } from './upload-scene.ts'

const MB = 1_000_000

/** A client of services on one database, behind a proxy that loses connections. */
async function createScene(t: Test, env: Record<string, string> = {}) {
  const cuts: number[] = []
  const target = { port: 0 }
  const origin = await startCuttingProxy(t, target, cuts)
  const shared = {
    DATABASE_URL: await createDatabase(t),
    PUBLIC_URL: origin,
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    ...env,
  }
  const MEDIA_DIR = await createFolder(t)
  const run = async (...args: string[]) =>
    JSON.parse((await postroom([...args, '--json'], { ...shared, MEDIA_DIR })).stdout)
  const { id: user } = await run('user', 'create', '--name', 'Ada')
  const { key } = await run('key', 'create', '--user', user)
  /** Starts a service, to which the proxy leads from then on. */
  const start = async (MEDIA_DIR_: string = MEDIA_DIR) => {
    const service = await runService('serve', { ...shared, MEDIA_DIR: MEDIA_DIR_ })
    t.teardown(() => service.stop('SIGKILL'))
    target.port = Number(new URL(String(service.facts.api)).port)
    return service
  }
  const service = await start()
  const folder = await createFolder(t)
  const store = async (bytes: Buffer) => {
    const path = join(folder, 'harbour.mp4')
    await writeFile(path, bytes)
    return path
  }
  // A service takes a while to start on a busy machine.
  const client = new Postroom({ key, baseUrl: origin, maxRetries: 60 })
  const isStored = async (id: string, bytes: Buffer) =>
    Buffer.from(await (await client.media.content(id)).arrayBuffer()).equals(bytes)
  return { MEDIA_DIR, client, cuts, isStored, key, origin, service, start, store, target }
}

t.test('a file of 200 MB, whose connection is cut three times and whose service is killed', async (t) => {
  const { MEDIA_DIR, client, cuts, isStored, service, start, store } = await createScene(t)
  const video = videoOf(200 * MB)
  const path = await store(video)
  cuts.push(30 * MB, 60 * MB, 20 * MB)
  const uploaded = client.uploads.create(await openAsBlob(path), { fileName: 'harbour.mp4' })
  await until('the connection was cut three times', async () => cuts.length === 0)
  await until('parts are stored', async () => (await filesIn(join(MEDIA_DIR, 'files'))).length > 10)
  await service.stop('SIGKILL')
  await start()
  const { id, bytes } = await uploaded
  t.equal(bytes, video.length)
  t.ok(await isStored(id, video))
})

t.test('another process continues an upload, with a bucket and a folder of its own', async (t) => {
  const s3 = await startS3(t, await createFolder(t))
  const { endpoint, credentials } = s3.options
  const { client, cuts, isStored, start, store } = await createScene(t, {
    S3_BUCKET: 'media',
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY_ID: credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  })
  const video = videoOf(30 * MB)
  const path = await store(video)
  await start(await createFolder(t))
  cuts.push(20 * MB)
  const uploaded = client.uploads.create(await openAsBlob(path), { fileName: 'harbour.mp4' })
  await until('the connection was cut', async () => cuts.length === 0)
  await start(await createFolder(t))
  t.ok(await isStored((await uploaded).id, video))
})

t.test('the client for Python, and the example with curl', needsPython, async (t) => {
  const { client, cuts, isStored, key, origin, store } = await createScene(t)
  const video = videoOf(40 * MB)
  const path = await store(video)
  const python = startPython(t)
  cuts.push(12 * MB, 10 * MB)
  const upload = { method: 'uploads.create', client: { key, base_url: origin }, args: [path] }
  const { result, message } = await python({ ...upload, kwargs: { altText: 'Boats.' } })
  t.hasStrict(result, { fileName: 'harbour.mp4', altText: 'Boats.' }, message ?? '')
  const { id } = result as { id: string }
  t.ok(await isStored(id, video))
  t.strictSame((await python(upload)).result?.id, id, 'a known file is not sent again')

  await client.media.delete(id)
  cuts.push(12 * MB, 10 * MB)
  const env = { PATH: process.env.PATH, POSTROOM_API: `${origin}/api/v1`, POSTROOM_KEY: key }
  const example = spawn('test/examples/upload.sh', [path], { env })
  const [stdout, stderr, [code]] = await Promise.all([
    text(example.stdout),
    text(example.stderr),
    once(example, 'close'),
  ])
  t.strictSame([code, stderr], [0, ''])
  t.ok(await isStored(/^file (\S+)/.exec(stdout)![1]!, video))
})
