import { existsSync } from 'node:fs'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import type { Db } from '../db/client.ts'
import { addMedia } from '../src/media/add.ts'
import { sweepMedia } from '../src/media/sweep.ts'
import { localStorage } from '../src/storage/local.ts'
import { createWorld, mediaIn } from './helpers/app.ts'
import { filesIn, jpeg, upload } from './helpers/upload.ts'

const age = (db: Db) => sql`update loose_files set renewed_at = now() - interval '1 minute'`.execute(db)

const bytesOf = async function* (bytes: Buffer) {
  yield bytes
}

t.test('what a crash leaves at any step is found, and nothing else is touched', async (t) => {
  const { app, db, user, mediaDir } = await createWorld(t)
  const ada = await user()
  const kept = await upload(app, ada, [['file', await jpeg()]])
  const [path] = await filesIn(mediaDir)
  const library = { db, ...mediaIn(mediaDir) }
  const crash = new Error('the process is gone')

  /** Does everything up to a step and then nothing more, not even what it would do on a failure. */
  const dieAt = async (step: 'receiving' | 'storing' | 'committing') => {
    const stop = () => new Promise<never>(() => {})
    const storage = localStorage(mediaDir)
    let died: (value: unknown) => void = () => {}
    const death = new Promise((resolve) => {
      died = resolve
    })
    const dying = {
      ...library,
      storage: {
        ...storage,
        put: async (...args: Parameters<typeof storage.put>) => {
          if (step === 'committing') await storage.put(...args)
          died(crash)
          await stop()
        },
      },
    }
    addMedia(dying, ada.id, async (save) => {
      await save(bytesOf(await jpeg(20 + step.length)))
      if (step === 'receiving') {
        died(crash)
        await stop()
      }
      return null
    })
    await death
  }
  for (const step of ['receiving', 'storing', 'committing'] as const) await dieAt(step)
  t.equal((await filesIn(mediaDir)).length, 4)

  await age(db)
  t.equal(await sweepMedia(library), 3)
  t.strictSame(await filesIn(mediaDir), [path])
  t.strictSame(await db.selectFrom('looseFiles').selectAll().execute(), [])
  t.equal(await sweepMedia(library), 0)
  t.strictSame((await ada.call('GET', '/media')).body.data, [kept.body])
})

t.test('a file that is being added is left alone, and one that was given up cannot be added any more', async (t) => {
  const { db, user, mediaDir } = await createWorld(t)
  const ada = await user()
  const library = { db, ...mediaIn(mediaDir) }
  const image = await jpeg()

  const { media } = await addMedia(library, ada.id, async (save) => {
    await save(bytesOf(image))
    const sweep = sweepMedia(library)
    // What the timer of the upload does from time to time.
    await sql`update loose_files set renewed_at = now() + interval '1 microsecond'`.execute(db)
    t.equal(await sweep, 0)
    return null
  })
  t.equal((await filesIn(mediaDir)).length, 1)

  const late = addMedia(library, ada.id, async (save) => {
    await save(bytesOf(await jpeg(50)))
    await age(db)
    t.equal(await sweepMedia(library), 1)
    return null
  })
  await t.rejects(late)
  t.equal((await filesIn(mediaDir)).length, 1)
  t.match((await ada.call('GET', '/media')).body.data, [{ id: media.id }])
})

t.test('bytes that could not be removed when their media was deleted are removed later', async (t) => {
  const storage = localStorage('.')
  const refusing = { ...storage, remove: async () => Promise.reject(new Error('no')) }
  const { app, db, user, mediaDir } = await createWorld(t)
  const ada = await user()
  const { body: file } = await upload(app, ada, [['file', await jpeg()]])
  const { deleteMedia } = await import('../src/media/change.ts')
  const { discardFile } = await import('../src/media/add.ts')
  const loose = await deleteMedia(db, ada.id, file.id)
  await t.rejects(discardFile({ db, ...mediaIn(mediaDir), storage: refusing }, loose!))
  t.equal((await filesIn(mediaDir)).length, 1)
  t.equal(await sweepMedia({ db, ...mediaIn(mediaDir) }), 1)
  t.strictSame(await filesIn(mediaDir), [])
})

t.test('files on their way in that no row names are removed when they are old', async (t) => {
  const { db, mediaDir } = await createWorld(t)
  const library = { db, ...mediaIn(mediaDir) }
  await mkdir(library.incomingDir, { recursive: true })
  const [old, fresh] = [join(library.incomingDir, 'a'.repeat(32)), join(library.incomingDir, 'b'.repeat(32))]
  for (const path of [old, fresh]) await writeFile(path, 'x')
  const yesterday = new Date(Date.now() - 86_400_000)
  await utimes(old, yesterday, yesterday)
  t.equal(await sweepMedia(library), 1)
  t.strictSame([existsSync(old), existsSync(fresh)], [false, true])
})
