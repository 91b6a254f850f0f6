import { closeSync, openSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { MediaType } from '../../schemas/media.ts'
import { AppError, fail } from '../errors.ts'
import type { Inspected, InspectRequest, MediaFile } from './inspected.ts'
import type { Plan } from './metadata/edits.ts'
import { FileWindow } from './metadata/file-window.ts'
import { planEdits } from './metadata/plan.ts'
import { damaged } from './structure/bytes.ts'
import { checkStructure } from './structure.ts'

async function readFacts(path: string): Promise<MediaFile> {
  const type = checkStructure(path)
  // Imported on first use, because each takes memory.
  if (type.startsWith('image/')) return (await import('./read-image.ts')).readImage(path, type)
  const result = await (await import('./read-video.ts')).readVideo(path)
  if ('refused' in result) throw fail('file_invalid', result.refused)
  if (result.facts.mimeType !== type) throw damaged('its header and its content are of different types')
  return { kind: 'video', frames: null, ...result.facts }
}

function readEdits(path: string, type: MediaType): Plan {
  const fd = openSync(path, 'r')
  try {
    return planEdits(new FileWindow(fd), type)
  } finally {
    closeSync(fd)
  }
}

async function inspect({ path, type }: InspectRequest): Promise<Inspected> {
  try {
    const facts = type ? undefined : await readFacts(path)
    return { facts, edits: readEdits(path, type ?? facts!.mimeType) }
  } catch (error) {
    if (error instanceof AppError)
      return { refused: { statusCode: error.statusCode, code: error.code, message: error.message } }
    // A failure of this machine. A message to another thread keeps no properties of an Error.
    return { failed: { ...(error as NodeJS.ErrnoException), message: (error as Error).message } }
  }
}

// Ignores errors that a parser leaves behind, such as that of a read ahead of a file that is closed.
process.on('unhandledRejection', () => {})
process.on('uncaughtException', () => {})

parentPort?.on('message', async (request: InspectRequest) => {
  // A parser that waits for nothing would never respond: without the port, the thread ends.
  parentPort?.unref()
  const result = await inspect(request)
  parentPort?.ref()
  parentPort?.postMessage(result)
})
