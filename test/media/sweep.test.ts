import { existsSync } from 'node:fs'
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { renewFile } from '../../db/queries/staged-files.ts'
import { addMedia, discardFile, type Library } from '../../src/media/add.ts'
import { deleteMedia } from '../../src/media/change.ts'
import { sweepMedia } from '../../src/media/sweep.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createWorld, mediaOptions, type Person } from '../helpers/app.ts'
import { filesIn, isClean, jpeg, until } from '../helpers/upload.ts'

/** As if the time had passed after which nobody can be writing any more. */
const age = (db: Db) => sql`update loose_files set renewed_at = now() - interval '1 minute'`.execute(db)

const rows = (db: Db) => db.selectFrom('looseFiles').selectAll().execute()

const bytesOf = async function* (bytes: Buffer) {
  yield bytes
}

const add = (library: Library, { id }: Person, bytes: Buffer, meanwhile = async () => {}) =>
  addMedia(library, id, async (save) => {
    await save(bytesOf(bytes))
    await meanwhile()
    return null
  })

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const library: Library = { db: world.db, ...mediaOptions(world.mediaDir) }
  const listed = async () => (await ada.call('GET', '/media')).body.data.map(({ id }: { id: string }) => id)
  /** The library with something else for one of the methods of its storage. */
  const withStorage = (changes: Partial<Storage>): Library => ({
    ...library,
    storage: { ...library.storage, ...changes },
  })
  return { ...world, ada, library, listed, withStorage }
}

/** A database that carries out the statements whose text `matches`, and then loses the answer. */
function losingAnswers(db: Db, matches: RegExp): Db {
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

t.test('what a crash leaves at any step is found, and nothing else is touched', async (t) => {
  const { db, ada, library, listed, mediaDir } = await createScene(t)
  const { media } = await add(library, ada, await jpeg())
  const [path] = await filesIn(mediaDir)

  /** Does everything up to a step and then nothing more, not even what it would do on a failure. */
  const dieAt = (step: 'receiving' | 'storing' | 'committing') =>
    new Promise<void>((died) => {
      const die = () => {
        died()
        return new Promise<never>(() => {})
      }
      const put: Storage['put'] = async (...args) => {
        if (step === 'committing') await library.storage.put(...args)
        await die()
      }
      const dying = { ...library, storage: { ...library.storage, put } }
      jpeg(20 + step.length).then((bytes) => add(dying, ada, bytes, step === 'receiving' ? die : undefined))
    })
  for (const step of ['receiving', 'storing', 'committing'] as const) await dieAt(step)
  t.equal((await filesIn(mediaDir)).length, 4)

  await age(db)
  t.strictSame(await sweepMedia(library), { removed: 3, failed: 0 })
  t.strictSame(await filesIn(mediaDir), [path])
  t.strictSame(await sweepMedia(library), { removed: 0, failed: 0 })
  t.strictSame(await listed(), [media.id])
  await sql`update loose_files set removed_at = now() - interval '1 day'`.execute(db)
  await sweepMedia(library)
  t.strictSame(await rows(db), [], 'in the end nothing of it is known')
})

t.test('a file that is being added is left alone for as long as it takes', async (t) => {
  const { db, ada, library, listed } = await createScene(t)
  const renewals = async () => (await rows(db))[0]?.renewedAt?.getTime()
  const { media } = await addMedia(
    library,
    ada.id,
    async (save) => {
      await save(bytesOf(await jpeg()))
      const first = await renewals()
      t.ok(await until(async () => (await renewals()) !== first), 'its claim is renewed')
      t.strictSame(await sweepMedia(library), { removed: 0, failed: 0 })
      return null
    },
    { renewMs: 50 },
  )
  t.strictSame(await listed(), [media.id])
})

t.test('a file that was given up cannot be added any more, at whatever step it is', async (t) => {
  const { db, ada, library, listed, mediaDir, withStorage } = await createScene(t)
  const sweep = async () => {
    await age(db)
    await sweepMedia(library)
  }
  await t.rejects(add(library, ada, await jpeg(), sweep))
  t.strictSame([await filesIn(mediaDir), await listed()], [[], []])

  const put: Storage['put'] = async (...args) => {
    await sweep()
    t.equal(
      (await renewFile(library.db, { userId: ada.id, storageKey: args[0] })).length,
      0,
      'no renewal brings it back',
    )
    await writeFile(args[1], await jpeg(60))
    await library.storage.put(...args)
  }
  await t.rejects(add(withStorage({ put }), ada, await jpeg(60)), /given up/)
  t.strictSame([await filesIn(mediaDir), await listed()], [[], []], 'not even bytes that came after the sweep stay')

  let seen = 0
  const endless = async function* () {
    yield await jpeg(70)
    await sweep()
    for (; seen < 1_000; seen++) {
      await sleep(10)
      yield Buffer.alloc(10)
    }
  }
  const stopped = addMedia(
    library,
    ada.id,
    async (save) => {
      await save(endless())
      return null
    },
    { renewMs: 20 },
  )
  await t.rejects(stopped)
  t.ok(seen < 1_000, 'nothing more is read of it')
})

t.test('what was added stays, though the answer of the database was lost', async (t) => {
  const { db, ada, library, listed, mediaDir } = await createScene(t)
  const bytes = await jpeg()
  await t.rejects(add({ ...library, db: losingAnswers(db, /insert into "media"/) }, ada, bytes))
  t.equal((await listed()).length, 1)
  const [path] = await filesIn(mediaDir)
  t.ok((await readFile(path!)).equals(bytes))
  t.equal((await add(library, ada, bytes)).isNew, false, 'sending it again gives it')
  await age(db)
  await sweepMedia(library)
  t.strictSame(await filesIn(mediaDir), [path])
})

t.test('what the storage took after all, though it had said that it failed, is removed later', async (t) => {
  const { db, ada, library, mediaDir, withStorage } = await createScene(t)
  let finishLater = async () => {}
  const put: Storage['put'] = async (key, path, type) => {
    const bytes = await readFile(path)
    finishLater = async () => {
      const late = join(library.incomingDir, 'late')
      await writeFile(late, bytes)
      await library.storage.put(key, late, type)
    }
    throw new Error('The storage does not answer')
  }
  await t.rejects(add(withStorage({ put }), ada, await jpeg()), /does not answer/)
  t.ok(await isClean(db, mediaDir, 0))
  await finishLater()
  t.equal((await filesIn(mediaDir)).length, 1)
  await sweepMedia(library)
  t.strictSame(await filesIn(mediaDir), [])
})

t.test(
  'bytes that could not be removed when their media was deleted are removed later, whatever else fails',
  async (t) => {
    const { ada, library, listed, mediaDir, withStorage } = await createScene(t)
    const remove = async () => Promise.reject(new Error('no'))
    for (const width of [20, 30]) await add(library, ada, await jpeg(width))
    for (const id of await listed()) {
      const loose = await deleteMedia(library.db, ada.id, id)
      await t.rejects(discardFile(withStorage({ remove }), loose!))
    }
    t.equal((await filesIn(mediaDir)).length, 2)
    let calls = 0
    const once: Storage['remove'] = (key) => (calls++ === 0 ? remove() : library.storage.remove(key))
    t.strictSame(await sweepMedia(withStorage({ remove: once })), { removed: 1, failed: 1 })
    t.strictSame(await sweepMedia(library), { removed: 1, failed: 0 })
    t.strictSame(await filesIn(mediaDir), [])
  },
)

t.test('files on their way in that no row names are removed when they are old', async (t) => {
  const { library } = await createScene(t)
  await mkdir(library.incomingDir, { recursive: true })
  const [old, fresh] = [join(library.incomingDir, 'a'.repeat(32)), join(library.incomingDir, 'b'.repeat(32))]
  for (const path of [old, fresh]) await writeFile(path, 'x')
  const yesterday = new Date(Date.now() - 86_400_000)
  await utimes(old, yesterday, yesterday)
  t.strictSame(await sweepMedia(library), { removed: 1, failed: 0 })
  t.strictSame([existsSync(old), existsSync(fresh)], [false, true])
})
