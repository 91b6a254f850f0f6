import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import t from 'tap'
import { NotStoredError, StorageError } from '../../src/base/storage/storage.ts'
import { openFile } from '../../src/engine/delivery/open-file.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'

const HOUR = 3_600_000

for (const platform of ['sandbox', 'mastodon', 'bluesky', 'telegram', 'discord']) {
  t.test(
    `${platform}: a delivery whose file cannot be read waits for the storage, and is then published`,
    async (t) => {
      const world = await createNetworkWorld(t)
      const { connect, uploadFile, post, work, readDelivery, mediaDir } = world
      const account = await connect(platform)
      const id = await post({
        accountIds: [account],
        caption: 'with a file',
        mediaIds: [await uploadFile(await jpeg())],
      })
      await rename(`${mediaDir}/files`, `${mediaDir}/away`)
      await work()
      const error = { code: 'storage_unavailable', message: 'File storage is not available', retryable: true }
      t.hasStrict(await readDelivery(id), {
        state: 'queued',
        attempts: 1,
        error,
        history: [{ outcome: 'failed', error }],
      })
      await rename(`${mediaDir}/away`, `${mediaDir}/files`)
      await work(HOUR)
      t.hasStrict(await readDelivery(id), { state: 'published', error: null })
    },
  )
}

t.test('a storage that fails in the middle of a file is told from a file that is missing', async (t) => {
  const reading = (read: () => Promise<Readable>) =>
    openFile({ read }, 'key')
      .then((stream) => stream.toArray())
      .catch((error) => [error.code, error.maybeSent, error.retryable, error.cause.message])
  async function* cutOff() {
    yield Buffer.from('half')
    throw new Error('aborted')
  }
  const unavailable = ['storage_unavailable', false, true]
  t.strictSame(await reading(async () => Readable.from(cutOff())), [...unavailable, 'aborted'])
  t.strictSame(await reading(() => Promise.reject(new StorageError('S3 is away'))), [...unavailable, 'S3 is away'])
  const missing = await reading(() => Promise.reject(new NotStoredError('key', undefined)))
  t.strictSame(missing, ['media_unreadable', false, true, 'Nothing is stored under key'])
  t.strictSame(await reading(async () => Readable.from([Buffer.from('whole')])), [Buffer.from('whole')])
})
