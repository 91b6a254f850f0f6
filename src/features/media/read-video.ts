import type { MediaTracks, MediaType } from '../../../schemas/media.ts'
import { readTracks } from './video-tracks.ts'

interface VideoFacts {
  mimeType: MediaType
  width: number
  height: number
  durationSeconds: number
  fps: number
  tracks: MediaTracks
}

type VideoResult = { facts: VideoFacts } | { refused: string }

/** Enough to average a phone's uneven frame times without reading hours of video. */
const PACKETS_MEASURED = 3_000
/** Twice the 16 frames that H.264 and HEVC reorder at most. */
const REORDERED_MAX = 32
/**
 * A packet is read as a whole, outside the thread's memory limit. 8K ProRes, cameras' largest format, has 10 MB
 * packets.
 */
const PACKET_BYTES_MAX = 16 * 1024 * 1024

/**
 * The facts of a video whose structure was checked, or the reason to refuse it. Throws only failures of this machine. A
 * crafted file can make the parser use unlimited time and memory: run this in a thread with limits.
 */
export async function readVideo(path: string): Promise<VideoResult> {
  const { EncodedPacketSink, FilePathSource, Input, Logging, LogLevel, MP4, QTFF, QuickTimeInputFormat, WEBM } =
    await import('mediabunny')
  Logging.level = LogLevel.Silent

  /** mediabunny recognises QuickTime only by its `ftyp` box, which old files do not have. */
  class OldQuickTime extends QuickTimeInputFormat {
    async _canReadInput() {
      return true
    }
  }

  const input = new Input({ source: new FilePathSource(path), formats: [MP4, QTFF, WEBM, new OldQuickTime()] })
  try {
    const video = await input.getPrimaryVideoTrack()
    if (!video) return { refused: 'has no video track' }
    const audio = await input.getPrimaryAudioTrack()

    // A box of size 0 lasts to the end of the file, so its tables may describe more frames than a cut-off file has.
    for (const track of audio ? [video, audio] : [video]) {
      const sink = new EncodedPacketSink(track)
      let last = await sink.getPacket(Infinity, { metadataOnly: true })
      if (!last && track === video) return { refused: 'has a video track without frames' }
      // Frames are stored in decoding order: the last one displayed may not be the last one stored.
      for (let next = last, count = 0; next && count < REORDERED_MAX; count++) {
        last = next
        next = await sink.getNextPacket(next, { metadataOnly: true })
      }
      if (!last) continue
      if (last.byteLength > PACKET_BYTES_MAX) return { refused: 'is damaged: a frame is too large' }
      if (!(await sink.getPacket(last.timestamp))) return { refused: 'is cut off: it ends before its last frame' }
    }

    const facts: VideoFacts = {
      mimeType: (await input.getFormat()).mimeType as MediaType,
      width: await video.getDisplayWidth(),
      height: await video.getDisplayHeight(),
      durationSeconds: await input.computeDuration(),
      fps: (await video.computePacketStats(PACKETS_MEASURED)).averagePacketRate,
      tracks: await readTracks(video, audio, PACKET_BYTES_MAX),
    }
    const { width, height, durationSeconds, fps } = facts
    if (!(width > 0 && height > 0 && Number.isSafeInteger(width * height)))
      return { refused: 'has a video without a size' }
    if (!(durationSeconds > 0 && durationSeconds < Infinity)) return { refused: 'has a video without a duration' }
    if (!(fps > 0 && fps < Infinity)) return { refused: 'has a video without a frame rate' }
    return { facts }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error
    return { refused: 'is damaged: its video cannot be read' }
  } finally {
    input.dispose()
  }
}
