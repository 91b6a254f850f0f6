import { Readable } from 'node:stream'
import t from 'tap'
import { UPLOADS_MAX } from '../../schemas/errors.ts'
import { createWorld } from '../helpers/app.ts'
import { jpeg, upload } from '../helpers/upload.ts'

t.test('a user who adds too many files at a time gets a 429, and other users do not', async (t) => {
  const gate = Promise.withResolvers<void>()
  const image = await jpeg()
  let started = Promise.withResolvers<void>()
  const fetchFile = async () => {
    started.resolve()
    await gate.promise
    return Readable.from([image])
  }
  const { app, user } = await createWorld(t, { media: { fetchFile } })
  const [ada, bob] = [await user(), await user()]
  const importing: ReturnType<typeof ada.call>[] = []
  while (importing.length < UPLOADS_MAX) {
    started = Promise.withResolvers()
    importing.push(ada.call('POST', '/media/import', { url: 'https://files.example/a.jpg' }))
    await started.promise
  }

  const refused = await upload(app, ada, [['file', image]])
  t.strictSame(
    [refused.status, refused.headers['x-error-code'], refused.headers['retry-after'], refused.body],
    [429, 'too_many_uploads', '1', { error: 'You are adding 100 files already: retry when some of them are stored' }],
  )
  t.equal((await upload(app, bob, [['file', image]])).status, 201)
  gate.resolve()
  await Promise.all(importing)
  t.match((await upload(app, ada, [['file', image]])).status, /^20[01]$/, 'later, the user may add files again')
})
