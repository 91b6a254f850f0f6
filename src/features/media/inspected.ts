import type { CodedError } from '../../../schemas/errors.ts'
import type { MediaKind, MediaTracks, MediaType } from '../../../schemas/media.ts'
import type { Plan } from './metadata/edits.ts'

/** The facts of a media file, from its content. */
export interface MediaFile {
  /** `gif` is an animated GIF or WebP with more than one frame. */
  kind: MediaKind
  mimeType: MediaType
  /** In pixels as displayed: after rotation, and with square pixels. Null for documents. */
  width: number | null
  height: number | null
  /** For animated images, the sum of all frame delays. Null for still images. */
  durationSeconds: number | null
  /** The average. Null for still images, and for animated images without a duration. */
  fps: number | null
  /** 1 for still images. Null for videos and documents. */
  frames: number | null
  /** Null for images. */
  tracks: MediaTracks | null
  /** Null for all but documents. */
  pages: number | null
}

/** Asks for the facts of a file and the edits that remove its metadata; if it names a type, for the edits alone. */
export interface InspectRequest {
  path: string
  type?: MediaType
}

/** The thread's response to a request. */
export type Inspected =
  | { facts: MediaFile | undefined; edits: Plan }
  | { refused: CodedError }
  | { failed: NodeJS.ErrnoException }
