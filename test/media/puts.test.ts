import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { StorageError } from '../../src/base/storage/storage.ts'
import { PUTS_MAX } from '../../src/features/media/put-in-turn.ts'
import { createFolder } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { createUploadScene, put } from './upload-scene.ts'

const MIB = 2 ** 20
const COUNT = PUTS_MAX + 8
const RANGE = `bytes 0-${MIB - 1}/${2 * MIB}`
const piece = Buffer.alloc(MIB)

t.test('a process sends few files to its storage at a time, and users take turns', async (t) => {
  const folder = folderStorage(join(await createFolder(t), 'stored'))
  const waiting: (() => void)[] = []
  let sending = 0
  let most = 0
  const slow = async (...args: Parameters<typeof folder.put>) => {
    most = Math.max(most, ++sending)
    await new Promise<void>((resolve) => waiting.push(resolve))
    await folder.put(...args).finally(() => sending--)
  }
  const { request, user } = await createUploadScene(t, { poolMax: 10, media: { storage: { ...folder, put: slow } } })
  const bob = await user()
  const uploads = await Promise.all(Array.from({ length: COUNT }, () => request()))
  const ofAda = uploads.map(({ uploadUrl }) => put(uploadUrl, piece, RANGE))
  await until('the places are taken', async () => waiting.length === PUTS_MAX)
  await pause(500)
  const ofBob = put((await request({}, bob)).uploadUrl, piece, RANGE)
  await pause(500)
  for (let ended = 0; ended < 2; ended++) waiting.shift()!()
  await until('their places are taken', async () => waiting.length === PUTS_MAX)
  for (const next of waiting.splice(PUTS_MAX - 2)) next()
  t.equal((await ofBob).status, 200, 'one who came last is among the next')
  const rest = setInterval(() => waiting.shift()?.(), 5)
  t.teardown(() => clearInterval(rest))
  t.ok((await Promise.all(ofAda)).every(({ status }) => status === 200))
  t.equal(most, PUTS_MAX)
})

t.test('those that wait for a storage that is away end with the first', async (t) => {
  let calls = 0
  const away = async () => {
    calls++
    await pause(1_000)
    throw new StorageError('away')
  }
  const storage = { ...folderStorage(await createFolder(t)), put: away }
  const { request } = await createUploadScene(t, { poolMax: 10, media: { storage } })
  const uploads = await Promise.all(Array.from({ length: COUNT }, () => request()))
  const responses = await Promise.all(uploads.map(({ uploadUrl }) => put(uploadUrl, piece, RANGE)))
  t.ok(responses.every(({ code }) => code === 'storage_unavailable'))
  t.ok(calls < COUNT, `${calls} calls`)
})
