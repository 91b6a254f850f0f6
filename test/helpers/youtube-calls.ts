import { Readable } from 'node:stream'
import type { Act, PublishedFile } from '../../src/platforms/contract/adapter.ts'
import { youtubeAdapter } from '../../src/platforms/youtube/adapter.ts'
import type { State } from '../../src/platforms/youtube/state.ts'
import { type FakeYoutube, startYoutube } from '../networks/fakes/youtube.ts'
import { actOf, carryOut, fileOf, ioOf } from './adapter-calls.ts'
import type { Teardown } from './database.ts'

export const UPLOADS = '/upload/youtube/v3/videos'
export const COMMENTS = 'POST /youtube/v3/commentThreads'

const sendersOf = (fake: FakeYoutube) => ({
  send: (act: Partial<Act>) => carryOut(youtubeAdapter, actOf(act), { ...ioOf(fake), credentials: fake.credentials }),
})

/** A video with this content, which can be read in parts. */
export const videoOf = (content: Buffer): PublishedFile =>
  fileOf('video/mp4', {
    bytes: content.length,
    open: async (range) => {
      const { from, bytes } = range ?? { from: 0, bytes: content.length }
      return Readable.from([content.subarray(from, from + bytes)])
    },
  })

type Prepared = Awaited<ReturnType<typeof youtubeAdapter.prepare>>

/** The state that is kept until the next call of `prepare`. */
export function keptOf(prepared: Prepared): State {
  if (!('later' in prepared)) throw new Error('nothing is left to prepare')
  return prepared.later.state
}

export function readyOf(prepared: Prepared): State {
  if (!('ready' in prepared)) throw new Error('something is left to prepare')
  return prepared.ready
}

/** YouTube with one video, `parent`. */
export async function startWithVideo(t: Teardown) {
  const fake = await startYoutube(t)
  const parent = fake.addVideo({ snippet: { title: 'Dusk' }, status: { privacyStatus: 'public' } }, Buffer.from('1'))
  const io = { ...ioOf(fake), credentials: fake.credentials }
  return { fake, parent: { id: parent.id, url: null }, io, ...sendersOf(fake) }
}
