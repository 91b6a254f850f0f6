import { AppError } from '../../errors.ts'

/**
 * Decoders keep a record for each frame, also where only the header is asked for. 10,000 play for minutes; the one
 * network that has a limit (LinkedIn) takes 250.
 */
const FRAMES_MAX = 10_000

export function refuseTooManyFrames(frames: number): void {
  if (frames > FRAMES_MAX)
    throw new AppError(400, 'file_too_complex', `file has too many frames, at most ${FRAMES_MAX} are allowed`)
}
