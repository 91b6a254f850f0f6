import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { s3Storage } from '../../src/base/storage/s3.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'

const SECRET = 'the-secret-of-the-bucket'

/**
 * Returns a bucket on a server that handles every request with `listener`; without one, nothing listens on its port.
 */
async function createBucket(t: Test, listener?: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  if (!listener) await new Promise((resolve) => server.close(resolve))
  t.teardown(() => server.close())
  const credentials = { accessKeyId: 'an-id', secretAccessKey: SECRET }
  return s3Storage({ bucket: 'media', region: 'us-east-1', endpoint: `http://127.0.0.1:${port}`, credentials })
}

const refuse: RequestListener = (_request, response) => {
  const body = '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'
  response.writeHead(403, { 'content-type': 'application/xml' }).end(body)
}

t.test('the log has the cause of a file that cannot be read, with the post and the account', async (t) => {
  const world = await createNetworkWorld(t)
  const { ada, mediaDir, connect, uploadFile, post, createWorker, readDelivery, log, time } = world
  const mediaIds = [await uploadFile(await jpeg())]
  await rm(join(mediaDir, 'files'), { recursive: true })
  await mkdir(join(mediaDir, 'files'))
  const storages = [
    [undefined, 'media_unreadable', { message: /^Nothing is stored under/, cause: { code: 'ENOENT' } }],
    [await createBucket(t, refuse), 'storage_unavailable', { cause: { type: 'AccessDenied', status: 403 } }],
    [
      await createBucket(t),
      'storage_unavailable',
      { message: 'S3 cannot be reached: ECONNREFUSED', cause: { code: 'ECONNREFUSED' } },
    ],
  ] as const
  for (const platform of ['sandbox', 'mastodon']) {
    const accountId = await connect(platform)
    for (const [storage, code, err] of storages) {
      const postId = await post({ accountIds: [accountId], caption: 'Hello', mediaIds })
      log.length = 0
      const worker = createWorker(storage && { storage })
      await worker.claim()
      await worker.idle()
      t.hasStrict(await readDelivery(postId), { state: 'queued', error: { code } })
      const [cause, settled, ...others] = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg !== 'request')
      const facts = { userId: ada.id, postId, accountId, platform }
      t.match(cause, { level: 50, msg: 'a file of the post could not be read', ...facts, err })
      t.match(settled, { msg: 'delivery settled', errorCode: code, ...facts })
      t.strictSame(others, [])
      t.notMatch(log.join(''), SECRET)
      // The retries of earlier posts stay behind.
      await world.db.updateTable('postTargets').set({ claimableAt: null }).execute()
      await world.db.updateTable('accounts').set({ availableAt: time.now }).execute()
    }
  }
})

t.test('the log has the key that opens no credentials, with the post and the account', async (t) => {
  const { ada, connect, post, createWorker, keyring, log } = await createNetworkWorld(t)
  const accountId = await connect('sandbox')
  const postId = await post({ accountIds: [accountId], caption: 'Hello' })
  log.length = 0
  const worker = createWorker({ openCredentials: createKeyring([randomBytes(32)]).open })
  await worker.claim()
  await worker.idle()
  const [cause] = log.map((line) => JSON.parse(line))
  t.match(cause, { level: 50, msg: 'credentials cannot be opened', userId: ada.id, postId, accountId })
  t.equal(cause.err.message, `The credentials of account ${accountId} need the key ${keyring.keyId}, which is missing`)
})
