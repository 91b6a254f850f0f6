import { existsSync } from 'node:fs'
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { renewLease } from '../../db/queries/staged-files.ts'
import { ALL_RIGHTS } from '../../src/base/http/rights.ts'
import type { Storage } from '../../src/base/storage/storage.ts'
import { DELETE_MEDIA } from '../../src/engine/delivery/machine.ts'
import { addMedia } from '../../src/features/media/add.ts'
import { deleteMedia } from '../../src/features/media/change.ts'
import { discardFile } from '../../src/features/media/discard-file.ts'
import type { Library } from '../../src/features/media/library.ts'
import { sweepMedia } from '../../src/features/media/sweep.ts'
import { createWorld, mediaOptions, type Person } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { filesIn, isClean, jpeg } from '../helpers/upload.ts'

/** Lets every lease expire. */
const expireLeases = (db: Db) => sql`update loose_files set renewed_at = now() - interval '1 minute'`.execute(db)

const stagedFiles = (db: Db) => db.selectFrom('looseFiles').selectAll().execute()

const bytesOf = async function* (bytes: Buffer) {
  yield bytes
}

/** Adds a file; `afterSave` runs between receiving and inspecting it. */
const add = (library: Library, { id }: Person, bytes: Buffer, afterSave = async () => {}) =>
  addMedia(library, id, async (save) => {
    await save(bytesOf(bytes))
    await afterSave()
    return {}
  })

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const library: Library = { db: world.db, ...mediaOptions(world.mediaDir) }
  const listed = async () => (await ada.call('GET', '/media')).body.data.map(({ id }: { id: string }) => id)
  /** The library, with some of its storage's methods replaced. */
  const withStorage = (changes: Partial<Storage>): Library => ({
    ...library,
    storage: { ...library.storage, ...changes },
  })
  return { ...world, ada, library, listed, withStorage }
}

/** A database that executes the statements whose SQL `matches`, and then fails as if their results were lost. */
function losingResults(db: Db, matches: RegExp): Db {
  return new Proxy(db, {
    get(target, key) {
      if (key !== 'executeQuery') return Reflect.get(target, key, target)
      return async (...args: Parameters<Db['executeQuery']>) => {
        const result = await target.executeQuery(...args)
        if (matches.test((args[0] as { sql: string }).sql)) throw new Error('Connection terminated unexpectedly')
        return result
      }
    },
  })
}

t.test('a sweep deletes what a crash left at any step, and nothing else', async (t) => {
  const { db, ada, library, listed, mediaDir } = await createScene(t)
  const { media } = await add(library, ada, await jpeg())
  const [path] = await filesIn(mediaDir)

  /** Adds a file up to a step and then hangs, so that not even its cleanup runs. */
  const crashAt = (step: 'receiving' | 'storing' | 'committing') =>
    new Promise<void>((crashed) => {
      const crash = () => {
        crashed()
        return new Promise<never>(() => {})
      }
      const put: Storage['put'] = async (...args) => {
        if (step === 'committing') await library.storage.put(...args)
        await crash()
      }
      const crashing = { ...library, storage: { ...library.storage, put } }
      jpeg(20 + step.length).then((bytes) => add(crashing, ada, bytes, step === 'receiving' ? crash : undefined))
    })
  for (const step of ['receiving', 'storing', 'committing'] as const) await crashAt(step)
  t.equal((await filesIn(mediaDir)).length, 4)

  await expireLeases(db)
  t.strictSame(await sweepMedia(library), { removed: 3, failures: [] })
  t.strictSame(await filesIn(mediaDir), [path])
  t.strictSame(await sweepMedia(library), { removed: 0, failures: [] })
  t.strictSame(await listed(), [media.id])
  await sql`update loose_files set removed_at = now() - interval '1 day'`.execute(db)
  await sweepMedia(library)
  t.strictSame(await stagedFiles(db), [], 'the rows of deleted files are deleted later')
})

t.test('a sweep leaves a file alone while it is being added', async (t) => {
  const { db, ada, library, listed } = await createScene(t)
  const renewals = async () => (await stagedFiles(db))[0]?.renewedAt?.getTime()
  const { media } = await addMedia(
    library,
    ada.id,
    async (save) => {
      await save(bytesOf(await jpeg()))
      const first = await renewals()
      await until('the lease is renewed', async () => (await renewals()) !== first)
      t.strictSame(await sweepMedia(library), { removed: 0, failures: [] })
      return {}
    },
    { renewMs: 50 },
  )
  t.strictSame(await listed(), [media.id])
})

t.test('a file that is marked for deletion cannot be added at any later step', async (t) => {
  const { db, ada, library, listed, mediaDir, withStorage } = await createScene(t)
  const sweep = async () => {
    await expireLeases(db)
    await sweepMedia(library)
  }
  await t.rejects(add(library, ada, await jpeg(), sweep))
  t.strictSame([await filesIn(mediaDir), await listed()], [[], []])

  const put: Storage['put'] = async (...args) => {
    await sweep()
    t.equal(
      (await renewLease(library.db, { userId: ada.id, storageKey: args[0] })).length,
      0,
      'the lease cannot be renewed',
    )
    await writeFile(args[1], await jpeg(60))
    await library.storage.put(...args)
  }
  await t.rejects(add(withStorage({ put }), ada, await jpeg(60)), /marked for deletion/)
  t.strictSame([await filesIn(mediaDir), await listed()], [[], []], 'bytes stored after the sweep are deleted as well')

  // Far more chunks than it takes to notice that the lease is lost.
  const ENDLESS = 6_000
  let seen = 0
  const endless = async function* () {
    yield await jpeg(70)
    for (; seen < ENDLESS; seen++) {
      // The lease may be renewed before one sweep, but not before each.
      await sweep()
      yield Buffer.alloc(10)
    }
  }
  const stopped = addMedia(
    library,
    ada.id,
    async (save) => {
      await save(endless())
      return {}
    },
    { renewMs: 20 },
  )
  await t.rejects(stopped)
  t.ok(seen < ENDLESS, 'reading the file stops')
})

t.test('an added file stays although the result of the database was lost', async (t) => {
  const { db, ada, library, listed, mediaDir } = await createScene(t)
  const bytes = await jpeg()
  await t.rejects(add({ ...library, db: losingResults(db, /insert into media/) }, ada, bytes))
  t.equal((await listed()).length, 1)
  const [path] = await filesIn(mediaDir)
  t.ok((await readFile(path!)).equals(bytes))
  t.equal((await add(library, ada, bytes)).isNew, false, 'adding it again returns it')
  await expireLeases(db)
  await sweepMedia(library)
  t.strictSame(await filesIn(mediaDir), [path])
})

t.test('a sweep deletes a file that the storage stored after it had reported a failure', async (t) => {
  const { db, ada, library, mediaDir, withStorage } = await createScene(t)
  let finishLater = async () => {}
  const put: Storage['put'] = async (key, path, type) => {
    const bytes = await readFile(path)
    finishLater = async () => {
      const late = join(library.incomingDir, 'late')
      await writeFile(late, bytes)
      await library.storage.put(key, late, type)
    }
    throw new Error('The storage did not respond')
  }
  await t.rejects(add(withStorage({ put }), ada, await jpeg()), /did not respond/)
  t.ok(await isClean(db, mediaDir, 0))
  await finishLater()
  t.equal((await filesIn(mediaDir)).length, 1)
  await sweepMedia(library)
  t.strictSame(await filesIn(mediaDir), [])
})

t.test('a sweep deletes bytes whose deletion failed before, and continues after a failure', async (t) => {
  const { ada, library, listed, mediaDir, withStorage } = await createScene(t)
  const remove = async () => Promise.reject(new Error('The storage did not respond'))
  for (const width of [20, 30]) await add(library, ada, await jpeg(width))
  for (const id of await listed()) {
    const staged = await deleteMedia(library.db, { userId: ada.id, id }, { ended: DELETE_MEDIA, rights: ALL_RIGHTS })
    await t.rejects(discardFile(withStorage({ remove }), staged!))
  }
  t.equal((await filesIn(mediaDir)).length, 2)
  let calls = 0
  const removeSecond: Storage['remove'] = (key) => (calls++ === 0 ? remove() : library.storage.remove(key))
  t.strictSame(await sweepMedia(withStorage({ remove: removeSecond })), {
    removed: 1,
    failures: ['The storage did not respond'],
  })
  t.strictSame(await sweepMedia(library), { removed: 1, failures: [] })
  t.strictSame(await filesIn(mediaDir), [])
})

t.test('a sweep deletes old received files that have no row', async (t) => {
  const { library } = await createScene(t)
  await mkdir(library.incomingDir, { recursive: true })
  const [old, fresh] = [join(library.incomingDir, 'a'.repeat(32)), join(library.incomingDir, 'b'.repeat(32))]
  for (const path of [old, fresh]) await writeFile(path, 'x')
  const yesterday = new Date(Date.now() - 86_400_000)
  await utimes(old, yesterday, yesterday)
  t.strictSame(await sweepMedia(library), { removed: 1, failures: [] })
  t.strictSame([existsSync(old), existsSync(fresh)], [false, true])
})
