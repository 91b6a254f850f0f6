import t, { type Test } from 'tap'
import { s3Storage } from '../../src/base/storage/s3.ts'
import { fileAddress } from '../../src/features/media/file-address.ts'
import { createFolder } from '../helpers/app.ts'
import { createNetworkWorld, VIDEO } from '../helpers/network-world.ts'
import { PUBLIC_URL } from '../helpers/publisher.ts'
import { startS3 } from '../helpers/s3.ts'
import { findStoredFileOf } from '../helpers/stored-file.ts'
import { jpeg } from '../helpers/upload.ts'

const HOUR = 3_600_000

/** A world whose files are in a bucket, and the addresses that the network fetches. */
async function createBucketWorld(t: Test, platform: 'instagram' | 'threads') {
  const s3 = await startS3(t, await createFolder(t))
  const world = await createNetworkWorld(t, { media: { storage: s3Storage(s3.options) } })
  const network = world[platform]
  const { download } = network
  const fetched: { address: URL; status: number; bytes: number }[] = []
  network.download = async (url) => {
    const file = await download(url)
    fetched.push({ address: new URL(url), status: file.status, bytes: file.bytes.length })
    return file
  }
  return { ...world, s3, network, fetched, account: await world.connect(platform) }
}

for (const platform of ['instagram', 'threads'] as const) {
  for (const kind of ['image', 'video'] as const) {
    t.test(
      `${platform}: a post of ${kind} from a bucket has a signed address, and a new one when that has expired`,
      async (t) => {
        const world = await createBucketWorld(t, platform)
        const { db, keyring, s3, network, fetched, account, time, post, work, readDelivery, createWorker } = world
        const content = kind === 'image' ? await jpeg(40, 30) : VIDEO
        const mediaId = await world.uploadFile(content)
        const { storageKey } = await findStoredFileOf(db, mediaId)
        // Reels last 3 seconds at least.
        if (kind === 'video') await db.updateTable('media').set({ durationSeconds: 4 }).execute()
        const id = await post({ accountIds: [account], caption: 'From a bucket', mediaIds: [mediaId] })

        // As if the network fetched the file a day after the address was signed.
        const addressOf: Parameters<typeof createWorker>[0] = {
          addressOf: (file) => fileAddress(PUBLIC_URL, keyring, file, Date.now() - 25 * HOUR),
        }
        const late = createWorker(addressOf)
        do await late.idle()
        while ((await late.claim()) > 0)
        t.hasStrict(await readDelivery(id), { state: 'queued' })
        t.same(network.posts, [])

        const endsAt = time.now.getTime() + HOUR
        while ((await readDelivery(id)).state === 'queued' && time.now.getTime() < endsAt) await work(30_000)
        t.hasStrict(await readDelivery(id), { state: 'published', error: null })
        t.equal(network.posts.length, 1)

        t.same(
          fetched.map(({ status }) => status),
          [404, 200],
        )
        t.equal(fetched.at(-1)!.bytes, content.length)
        t.ok(s3.requests.includes(`GET /media/${storageKey}?x-id=GetObject`), 'the bytes are in the bucket')
        const [expired, address] = fetched.map((each) => each.address) as [URL, URL]
        t.equal(address.origin, PUBLIC_URL)
        t.not(address.searchParams.get('signature'), expired.searchParams.get('signature'))
        const validMs = Number(address.searchParams.get('expires')) * 1000 - Date.now()
        t.ok(validMs > 23 * HOUR, 'it works as long as a container')
        t.notMatch(address.href, /amz/i, 'no address of the bucket')
      },
    )
  }
}
