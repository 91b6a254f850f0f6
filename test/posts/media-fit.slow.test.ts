import sharp from 'sharp'
import t from 'tap'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { createFolder, createWorld } from '../helpers/app.ts'
import { upload } from '../helpers/upload.ts'

t.test('a request does not wait for ever for its files, and stores nothing', async (t) => {
  const folder = folderStorage(await createFolder(t))
  const hanging = { ...folder, read: () => new Promise<never>(() => {}) }
  const { app, user } = await createWorld(t, { media: { storage: hanging } })
  const ada = await user()
  const accountIds = [await ada.account('instagram')]
  const png = await sharp({ create: { width: 400, height: 400, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const { id } = (await upload(app, ada, [['file', png]])).body
  const body = { accountIds, caption: 'Hi', mediaIds: [id], mediaFit: 'auto' }
  const { status, headers } = await ada.call('POST', '/posts', body)
  t.strictSame([status, headers['x-error-code']], [503, 'renditions_unfinished'])
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])
})
