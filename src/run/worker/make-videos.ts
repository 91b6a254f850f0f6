import { announceVideoWorker, makeNextVideo, type VideoMaker } from '../../features/media/make-videos.ts'
import type { Task } from './loop.ts'

const POLL_MS = 2_000
const NOTE_EVERY_MS = 600_000

/** Converts videos for networks, one at a time. */
export function makeVideos(maker: VideoMaker): Task {
  let notedAt = -Infinity
  return {
    outage: { begin: 'videos cannot be converted', end: 'videos are converted again' },
    retryMs: POLL_MS,
    kind: 'renditions',
    async round(stop) {
      if (performance.now() - notedAt > NOTE_EVERY_MS) {
        await announceVideoWorker(maker.library)
        notedAt = performance.now()
      }
      return (await makeNextVideo(maker, stop)) ? 0 : null
    },
  }
}
