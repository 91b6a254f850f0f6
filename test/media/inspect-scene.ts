import { rmSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { AppError } from '../../src/base/errors.ts'
import { inspectFile } from '../../src/features/media/inspect.ts'
import type { InspectLimits } from '../../src/features/media/inspect-thread.ts'

export const folder = await mkdtemp(join(tmpdir(), 'postroom-inspect-'))
// Several files of one process use it.
process.once('exit', () => rmSync(folder, { recursive: true }))

/** Whose files are inspected. */
export const USER = 'ada'

let files = 0
/** Writes a file with these bytes and returns its path. */
export async function written(bytes: Uint8Array): Promise<string> {
  const path = join(folder, String(files++))
  await writeFile(path, bytes)
  return path
}

export const inspect = async (bytes: Uint8Array) => (await inspectFile(await written(bytes), USER)).facts

/** The message of the 400 that refuses a file, or `accepted`. Any other error is returned as text. */
export async function reasonAt(path: string, limits?: InspectLimits): Promise<string> {
  try {
    await inspectFile(path, USER, limits)
    return 'accepted'
  } catch (error) {
    return error instanceof AppError && error.statusCode === 400 ? error.message : String(error)
  }
}
export const reason = async (bytes: Uint8Array) => reasonAt(await written(bytes))

export const sample = (name: string) => readFile(new URL(`../samples/${name}`, import.meta.url))
export const videos = {
  mp4: await sample('plain.mp4'),
  fragmented: await sample('fragmented.mp4'),
  mov: await sample('plain.mov'),
  webm: await sample('plain.webm'),
  live: await sample('live.webm'),
}

export const picture = (background = 'red') => sharp({ create: { width: 40, height: 30, channels: 3, background } })
const frames = await Promise.all(['red', 'green', 'blue'].map((colour) => picture(colour).png().toBuffer()))
export const animation = () => sharp(frames, { join: { animated: true } })
const delay = [100, 50, 200]
export const images = {
  jpeg: await picture().jpeg().toBuffer(),
  progressive: await picture().jpeg({ progressive: true }).toBuffer(),
  png: await picture().png().toBuffer(),
  gif: await picture().gif().toBuffer(),
  animatedGif: await animation().gif({ delay }).toBuffer(),
  webp: await picture().webp().toBuffer(),
  lossless: await picture().webp({ lossless: true }).toBuffer(),
  animatedWebp: await animation().webp({ delay }).toBuffer(),
  avif: await picture().avif({ effort: 0 }).toBuffer(),
}

export const still = {
  kind: 'image',
  width: 40,
  height: 30,
  durationSeconds: null,
  fps: null,
  frames: 1,
  tracks: null,
  pages: null,
}
