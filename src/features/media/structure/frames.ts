import { tooComplex } from './bytes.ts'

/**
 * Decoders keep a record of each frame even if only the header is read. 10,000 frames play for minutes; the only
 * network with a limit (LinkedIn) accepts 250.
 */
const FRAMES_MAX = 10_000

export function refuseTooManyFrames(frames: number): void {
  if (frames > FRAMES_MAX) throw tooComplex(`too many frames, at most ${FRAMES_MAX} are allowed`)
}
