import { parentPort, workerData } from 'node:worker_threads'
import type { MediaType } from '../../schemas/media.ts'

export interface VideoFacts {
  mimeType: MediaType
  width: number
  height: number
  durationSeconds: number
  fps: number
  videoCodec: string | null
  audioCodec: string | null
}

export type VideoAnswer = { facts: VideoFacts } | { refused: string }

/** Enough for an average, also of a phone's uneven frames, without going through hours of video. */
const PACKETS_MEASURED = 3_000
/** H.264 and HEVC reorder 16 frames at most. */
const REORDERED_MAX = 32
/** It is read as a whole, outside the thread's own limits. Of 8K in ProRes, the largest that cameras write, it has 10 MB. */
const PACKET_BYTES_MAX = 16 * 1024 * 1024

/**
 * The facts of a video whose structure is sound, or why it is refused. Throws what the machine fails with. Parsers may
 * be led to take very much time or memory: run it in a thread that has limits.
 */
export async function readVideo(path: string): Promise<VideoAnswer> {
  const { EncodedPacketSink, FilePathSource, Input, Logging, LogLevel, MP4, QTFF, QuickTimeInputFormat, WEBM } =
    await import('mediabunny')
  Logging.level = LogLevel.Silent

  /** The library knows QuickTime by its `ftyp` box only, which old files do not have. */
  class OldQuickTime extends QuickTimeInputFormat {
    async _canReadInput() {
      return true
    }
  }

  const input = new Input({ source: new FilePathSource(path), formats: [MP4, QTFF, WEBM, new OldQuickTime()] })
  try {
    const video = await input.getPrimaryVideoTrack()
    if (!video) return { refused: 'file has no video track' }
    const audio = await input.getPrimaryAudioTrack()

    // The tables may tell of more than there is: a box that lasts to the end of the file does so wherever that is.
    for (const track of audio ? [video, audio] : [video]) {
      const sink = new EncodedPacketSink(track)
      let last = await sink.getPacket(Infinity, { metadataOnly: true })
      if (!last && track === video) return { refused: 'file has a video track without frames' }
      // The last to be shown may be stored before some others.
      for (let next = last, count = 0; next && count < REORDERED_MAX; count++) {
        last = next
        next = await sink.getNextPacket(next, { metadataOnly: true })
      }
      if (!last) continue
      if (last.byteLength > PACKET_BYTES_MAX) return { refused: 'file is damaged: a frame is too large' }
      if (!(await sink.getPacket(last.timestamp))) return { refused: 'file is cut off: it ends before its last frame' }
    }

    const facts: VideoFacts = {
      mimeType: (await input.getFormat()).mimeType as MediaType,
      width: await video.getDisplayWidth(),
      height: await video.getDisplayHeight(),
      durationSeconds: await input.computeDuration(),
      fps: (await video.computePacketStats(PACKETS_MEASURED)).averagePacketRate,
      videoCodec: await video.getCodec(),
      audioCodec: (await audio?.getCodec()) ?? null,
    }
    const { width, height, durationSeconds, fps } = facts
    if (!(width > 0 && height > 0 && Number.isSafeInteger(width * height)))
      return { refused: 'file has a video of no size' }
    if (!(durationSeconds > 0 && durationSeconds < Infinity)) return { refused: 'file has a video of no duration' }
    if (!(fps > 0 && fps < Infinity)) return { refused: 'file has a video without a frame rate' }
    return { facts }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error
    return { refused: 'file is damaged: its video cannot be read' }
  } finally {
    input.dispose()
  }
}

parentPort?.postMessage(await readVideo(workerData))
