import t from 'tap'
import type { Db } from '../../db/client.ts'
import { makeNextVideo } from '../../src/features/media/make-videos.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { videoMaker } from '../helpers/videos.ts'

const MINUTE = 60_000

interface Job {
  spec?: object
  neededInMs?: number
}

/** Adds jobs of a video that no post sends: a worker takes each as any other, and ends it without ffmpeg. */
async function addJobs(db: Db, person: Person, count: number, { spec = {}, neededInMs = -MINUTE }: Job = {}) {
  const mediaId = await person.media({ mimeType: 'video/mp4' })
  const jobs = Array.from({ length: count }, (_, index) => ({
    userId: person.id,
    mediaId,
    target: `${mediaId} ${index}`,
    spec: JSON.stringify(spec),
    neededAt: new Date(Date.now() + neededInMs),
  }))
  await db.insertInto('renditionJobs').values(jobs).execute()
}

const countJobs = async (db: Db, { id }: Person) =>
  (await db.selectFrom('renditionJobs').select('target').where('userId', '=', id).execute()).length

async function createTurns(t: Parameters<typeof createWorld>[0]) {
  const world = await createWorld(t)
  const maker = videoMaker(world)
  const stop = new AbortController().signal
  return { ...world, ada: await world.user(), bob: await world.user(), makeNext: () => makeNextVideo(maker, stop) }
}

t.test('one worker makes the video of another user after one of many', async (t) => {
  const { db, ada, bob, makeNext } = await createTurns(t)
  await addJobs(db, ada, 300, { neededInMs: -10 * MINUTE })
  await addJobs(db, bob, 2)
  const left = []
  for (let turn = 0; turn < 4; turn++) {
    await makeNext()
    left.push([await countJobs(db, ada), await countJobs(db, bob)])
  }
  t.strictSame(left, [
    [299, 2],
    [299, 1],
    [298, 1],
    [298, 0],
  ])
})

t.test('frames for previews take turns with videos', async (t) => {
  const { db, ada, bob, makeNext } = await createTurns(t)
  await addJobs(db, ada, 20, { spec: { frameWidth: 100 }, neededInMs: -10 * MINUTE })
  await addJobs(db, bob, 1)
  await makeNext()
  await makeNext()
  t.strictSame([await countJobs(db, ada), await countJobs(db, bob)], [19, 0])
})

t.test('a user whose video another worker makes comes after others', async (t) => {
  const { db, ada, bob, makeNext } = await createTurns(t)
  await addJobs(db, ada, 1)
  const lease = { claimableAt: new Date(Date.now() + MINUTE), leaseToken: '00000000-0000-4000-8000-000000000000' }
  await db.updateTable('renditionJobs').set(lease).execute()
  await addJobs(db, ada, 1, { neededInMs: -10 * MINUTE })
  await addJobs(db, bob, 1)
  await makeNext()
  t.strictSame([await countJobs(db, ada), await countJobs(db, bob)], [2, 0])
})

t.test('videos that are needed within an hour come before the first ones of others', async (t) => {
  const { db, ada, bob, makeNext } = await createTurns(t)
  await addJobs(db, ada, 2)
  await addJobs(db, bob, 1, { neededInMs: 7 * 24 * 60 * MINUTE })
  await makeNext()
  await makeNext()
  t.strictSame([await countJobs(db, ada), await countJobs(db, bob)], [0, 1])
})
