import { Readable } from 'node:stream'
import sharp from 'sharp'
import t from 'tap'
import type { Act, ByteRange, PublishedFile } from '../../src/platforms/contract/adapter.ts'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import { instagramAdapter } from '../../src/platforms/instagram/adapter.ts'
import { pinterestAdapter } from '../../src/platforms/pinterest/adapter.ts'
import { threadsAdapter } from '../../src/platforms/threads/adapter.ts'
import { tiktokAdapter } from '../../src/platforms/tiktok/adapter.ts'
import { xAdapter } from '../../src/platforms/x/adapter.ts'
import { actOf, clientOf, fileOf, ioOf } from '../helpers/adapter-calls.ts'
import { sample } from '../media/inspect-scene.ts'
import { startFacebook } from '../networks/fakes/facebook.ts'
import { startInstagram } from '../networks/fakes/instagram.ts'
import { startPinterest } from '../networks/fakes/pinterest.ts'
import { startThreads } from '../networks/fakes/threads.ts'
import { startTiktok } from '../networks/fakes/tiktok.ts'
import { startX } from '../networks/fakes/x.ts'

const fileWith = (mimeType: string, content: Buffer): PublishedFile => {
  const open = async ({ from, bytes }: ByteRange = { from: 0, bytes: content.length }) =>
    Readable.from([content.subarray(from, from + bytes)])
  return fileOf(mimeType, { bytes: content.length, open })
}

/** The network's message, before or after it has accepted the post. */
const reasonOf = (sent: Promise<unknown>) =>
  sent.then(
    () => 'published',
    (error: Error) => error.message,
  )

t.test('a video that a network refuses in spite of the checks fails, and is not published', async (t) => {
  const act: Partial<Act> = { media: [fileWith('video/quicktime', await sample('h263.mov'))] }
  const tiktok = await startTiktok(t)
  const instagram = await startInstagram(t)
  const threads = await startThreads(t)
  const x = await startX(t)
  const facebook = await startFacebook(t)
  const pinterest = await startPinterest(t)
  const fields = { privacyLevel: 'PUBLIC_TO_EVERYONE', boardId: '549755885175', coverTimestampSeconds: 0 }
  const attempts = {
    tiktok: () => clientOf(tiktokAdapter).send(actOf({ ...act, fields }), tiktok.credentials, ioOf(tiktok)),
    instagram: () => clientOf(instagramAdapter).send(actOf(act), instagram.credentials, ioOf(instagram)),
    threads: () => clientOf(threadsAdapter).send(actOf(act), threads.credentials, ioOf(threads)),
    x: () => clientOf(xAdapter).send(actOf(act), x.credentials, ioOf(x)),
    facebook: () =>
      clientOf(facebookAdapter).send(actOf({ ...act, postType: 'reel' }), facebook.credentials, ioOf(facebook)),
    pinterest: () => clientOf(pinterestAdapter).send(actOf({ ...act, fields }), pinterest.credentials, ioOf(pinterest)),
  }
  const reasons: Record<string, string> = {}
  for (const [network, attempt] of Object.entries(attempts)) reasons[network] = await reasonOf(attempt())
  t.match(reasons, {
    tiktok: 'file_format_check_failed',
    instagram: '2207026',
    threads: 'FAILED_PROCESSING_VIDEO',
    x: 'file is currently unsupported',
    facebook: 'The video file format is not supported',
    pinterest: 'could not process the video',
  })
})

t.test('TikTok refuses a photo with a short side over 1080 pixels', async (t) => {
  const fake = await startTiktok(t)
  const send = async (width: number, height: number) => {
    const photo = await sharp({ create: { width, height, channels: 3, background: 'teal' } })
      .jpeg()
      .toBuffer()
    const media = [fileWith('image/jpeg', photo)]
    const act = actOf({ media, fields: { privacyLevel: 'PUBLIC_TO_EVERYONE' } })
    return clientOf(tiktokAdapter).send(act, fake.credentials, ioOf(fake))
  }
  t.match(await reasonOf(send(1086, 1448)), 'the width or height of a file is not supported')
  t.ok((await send(1080, 1448)).id)
})
