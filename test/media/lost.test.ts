import { rm, truncate, writeFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { verifyMedia } from '../../src/features/media/verify.ts'
import { filesIn, jpeg, upload } from '../helpers/upload.ts'
import { createScene as createMediaScene } from './scene.ts'

/** A file of Ada's that is stored, and its path on the disk. */
async function createScene(t: Test) {
  const scene = await createMediaScene(t)
  const [path] = await filesIn(scene.mediaDir)
  const verify = (options: { checksums: boolean }) =>
    verifyMedia({ db: scene.db, storage: folderStorage(scene.mediaDir) }, options)
  return { ...scene, path: path!, verify }
}

for (const [name, damage] of [
  ['lost', rm],
  ['cut off', (path: string) => truncate(path, 100)],
] as const) {
  t.test(`a file that was ${name} is stored again when the same bytes are uploaded`, async (t) => {
    const { app, db, ada, bytes, file, content, path, mediaDir, verify } = await createScene(t)
    await damage(path)
    const again = await upload(app, ada, [
      ['file', bytes],
      ['altText', 'another'],
    ])
    t.strictSame([again.status, again.body], [200, file], 'the file keeps its id and alt text')
    const reply = await content(file.id)
    t.equal(reply.statusCode, 200)
    t.ok(reply.rawPayload.equals(bytes))
    t.strictSame(await verify({ checksums: true }), { checked: 1, broken: [] })

    const marked = await db.selectFrom('looseFiles').select('renewedAt').execute()
    t.strictSame(marked, [{ renewedAt: null }], 'what is left of the old bytes is deleted by the next sweep')
    const [stored, ...others] = (await filesIn(mediaDir)).filter((each) => each !== path)
    t.ok(stored)
    t.strictSame(others, [])
  })
}

t.test('the bytes of a file that is there are not stored a second time', async (t) => {
  const { app, ada, bytes, file, path, mediaDir } = await createScene(t)
  const again = await upload(app, ada, [['file', bytes]])
  t.strictSame([again.status, again.body], [200, file])
  t.strictSame(await filesIn(mediaDir), [path])
})

t.test('two requests that upload a lost file store it once', async (t) => {
  const { app, ada, bytes, file, path, mediaDir, content } = await createScene(t)
  await rm(path)
  const replies = await Promise.all([1, 2, 3].map(() => upload(app, ada, [['file', bytes]])))
  for (const { status, body } of replies) t.strictSame([status, body], [200, file])
  t.equal((await filesIn(mediaDir)).length, 1)
  t.equal((await content(file.id)).statusCode, 200)
})

t.test('media verify finds files that are missing, of another size, or changed', async (t) => {
  const { app, ada, file, path, mediaDir, verify } = await createScene(t)
  const add = async (width: number) => {
    const before = new Set(await filesIn(mediaDir))
    const { body } = await upload(app, ada, [['file', await jpeg(width)]])
    return { id: body.id, bytes: body.bytes, path: (await filesIn(mediaDir)).find((each) => !before.has(each))! }
  }
  const [cut, changed] = [await add(41), await add(42)]
  await ada.media()
  t.strictSame(await verify({ checksums: true }), { checked: 3, broken: [] }, 'a file without bytes is not checked')
  await rm(path)
  await truncate(cut.path, 10)
  await writeFile(changed.path, Buffer.alloc(changed.bytes))
  const userId = ada.id
  const broken = [
    { id: file.id, userId, problem: 'missing' },
    { id: cut.id, userId, problem: 'size' },
  ]
  t.strictSame(await verify({ checksums: false }), { checked: 3, broken })
  const changedFile = { id: changed.id, userId, problem: 'checksum' }
  t.strictSame(await verify({ checksums: true }), { checked: 3, broken: [...broken, changedFile] })
})
