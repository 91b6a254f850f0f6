import sharp from 'sharp'
import t from 'tap'
import { openPicture, problemOf } from '../../src/features/media/open-picture.ts'

t.test('the problem of a picture says whether decoding it takes too long', async (t) => {
  const large = sharp({ create: { width: 4_000, height: 4_000, channels: 3, background: 'teal' } })
  const late = large.median(15).png().timeout({ seconds: 1 }).toBuffer()
  t.strictSame(await late.catch(problemOf), { problem: 'decoding the image takes too long' })
  t.strictSame(await openPicture('test/samples/plain.mp4').catch(problemOf), { problem: null })
})
