import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import sharp from 'sharp'
import t from 'tap'
import { folderStorage } from '../../../src/base/storage/folder.ts'
import { sweepMedia } from '../../../src/features/media/sweep.ts'
import type { RenditionTarget } from '../../../src/platforms/rules/rendition.ts'
import { createWorld, type World } from '../../helpers/app.ts'
import { until } from '../../helpers/until.ts'
import { filesIn, isClean, upload } from '../../helpers/upload.ts'
import { addVideoWorker, encode, makeVideos, needsFfmpeg, PICTURE } from '../../helpers/videos.ts'
import type { RenditionProcess } from './rendition-process.ts'

const PROGRAM = new URL('rendition-process.ts', import.meta.url)
/** More than any rendition takes. */
const STEPS_MAX = 40

type Options = Omit<RenditionProcess, 'databaseUrl' | 'mediaDir' | 'incomingDir'>

function launch({ mediaDir, databaseUrl }: World, options: Options): ChildProcess {
  const settings = { databaseUrl, mediaDir, incomingDir: join(mediaDir, 'incoming'), ...options }
  return fork(PROGRAM, [JSON.stringify(settings)], { execArgv: process.execArgv })
}

/** Starts a process that stops after this many steps. Returns the name of the last one, or `finished`. */
async function start(world: World, options: Options) {
  const child = launch(world, options)
  const [reached] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  return { child, reached: String(reached) }
}

async function kill({ child }: Awaited<ReturnType<typeof start>>): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Lets the time pass after which leases have ended and files are left over, and sweeps. */
async function sweep({ db, mediaDir }: World): Promise<void> {
  await sql`update loose_files set renewed_at = now() - interval '1 hour' where renewed_at is not null`.execute(db)
  const incomingDir = join(mediaDir, 'incoming')
  for (const name of await readdir(incomingDir)) await utimes(join(incomingDir, name), 0, 0)
  await sweepMedia({ db, storage: folderStorage(mediaDir), incomingDir, bytesMax: 1e9 })
}

/** The processes of ffmpeg that have a file in this folder. */
async function listProcesses(folder: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return commands.filter((command) => /^[^\0]*ffmpeg\0/.test(command) && command.includes(folder))
}

t.test('a video whose worker is killed at any step is made once, and leaves nothing', needsFfmpeg, async (t) => {
  const world = await createWorld(t)
  const { app, user, db, mediaDir } = world
  const ada = await user()
  await addVideoWorker(db)
  const clip = await encode(t, 'mov', `${PICTURE('128x96', 10, 1)} -c:v mpeg4`)
  const { id } = (await upload(app, ada, [['file', clip]])).body
  const accountIds = [await ada.account('telegram')]
  const body = { accountIds, caption: 'Hi', mediaIds: [id], mediaFit: 'auto' }
  const reached: string[] = []
  for (let steps = 1; steps < STEPS_MAX && reached.at(-1) !== 'finished'; steps++) {
    const { body: post } = await ada.call('POST', '/posts', body)
    const worker = await start(world, { steps })
    await kill(worker)
    reached.push(worker.reached)
    await sql`update rendition_jobs set claimable_at = now()`.execute(db)
    await makeVideos(world)
    const made = await db.selectFrom('renditions').selectAll().execute()
    t.match(made, [{ mediaId: id, mimeType: 'video/mp4', problem: null }], worker.reached)
    t.strictSame(await db.selectFrom('renditionJobs').selectAll().execute(), [])
    await sweep(world)
    t.ok(await isClean(db, mediaDir, 2), `nothing is left: ${worker.reached}`)
    t.equal((await ada.call('DELETE', `/posts/${post.id}`)).status, 200)
    await sql`delete from renditions`.execute(db)
    await sweep(world)
  }
  t.equal(reached.at(-1), 'finished')
  t.ok(reached.length > 5, reached.join('\n'))
})

t.test('an image whose process is killed at any step is made once, and leaves nothing', async (t) => {
  const world = await createWorld(t)
  const { app, user, db, mediaDir } = world
  const ada = await user()
  const png = await sharp({ create: { width: 300, height: 300, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const { id } = (await upload(app, ada, [['file', png]])).body
  const target: RenditionTarget = {
    name: 'image',
    mimeType: 'image/jpeg',
    transparentType: 'image/jpeg',
    background: '#ffffff',
    frames: 1,
    bytesMax: 1e6,
    ratio: { min: 0, max: 10 },
    width: 300,
    height: 300,
  }
  const image = { userId: ada.id, wanted: { mediaId: id, target } }
  const reached: string[] = []
  for (let steps = 1; steps < STEPS_MAX && reached.at(-1) !== 'finished'; steps++) {
    const first = await start(world, { steps, image })
    await kill(first)
    reached.push(first.reached)
    const second = await start(world, { steps: STEPS_MAX, image })
    await kill(second)
    t.equal(second.reached, 'finished')
    t.match(await db.selectFrom('renditions').selectAll().execute(), [{ mediaId: id, mimeType: 'image/jpeg' }])
    await sweep(world)
    t.ok(await isClean(db, mediaDir, 2), `nothing is left: ${first.reached}`)
    await sql`delete from renditions`.execute(db)
    await sweep(world)
  }
  t.equal(reached.at(-1), 'finished')
  t.ok(reached.length > 4, reached.join('\n'))
})

t.test('ffmpeg ends with its worker', { skip: needsFfmpeg.skip || process.platform !== 'linux' }, async (t) => {
  const world = await createWorld(t)
  const { app, user, db, mediaDir } = world
  const ada = await user()
  await addVideoWorker(db)
  const clip = await encode(t, 'mov', `${PICTURE('1280x720', 30, 60)} -c:v mpeg4 -q:v 31`)
  const { id } = (await upload(app, ada, [['file', clip]])).body
  const accountIds = [await ada.account('telegram')]
  await ada.call('POST', '/posts', { accountIds, caption: 'Hi', mediaIds: [id], mediaFit: 'auto' })
  const child = launch(world, { steps: STEPS_MAX })
  await until('ffmpeg has written a part', async () => (await filesIn(join(mediaDir, 'incoming'))).length === 2)
  t.ok((await listProcesses(mediaDir)).length > 0)
  child.kill('SIGKILL')
  await until('ffmpeg has ended', async () => (await listProcesses(mediaDir)).length === 0)
})
