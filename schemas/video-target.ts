import type { VideoTrack } from './media.ts'

/** A rendition to make from a video: MP4 with H.264 and AAC. Stored with deliveries and jobs. */
export interface VideoTarget {
  /** Even numbers of pixels, as displayed. */
  width: number
  height: number
  fps: number
  videoBitsPerSecond: number
  /** The part of each frame that stays, as fractions of its sides. */
  crop?: { left: number; top: number; width: number; height: number }
  /** The size of the picture between bars. */
  pad?: { width: number; height: number; color: string }
  isInterlaced?: true
  /** That of the file, whose high dynamic range becomes a standard one. */
  transfer?: NonNullable<VideoTrack['transfer']>
  /** Null: any. */
  bytesMax: number | null
}

/** A picture to make from a video. */
export interface FrameTarget {
  frameWidth: number
}
