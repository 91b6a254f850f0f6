import { closeSync, openSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { AppError, fail } from '../../base/errors.ts'
import type { Inspected, InspectRequest, MediaFile } from './inspected.ts'
import { planEdits } from './metadata/plan.ts'
import { damaged, FileBytes } from './structure/bytes.ts'
import { checkStructure } from './structure/check.ts'

async function readFacts(path: string, file: FileBytes): Promise<MediaFile> {
  const type = checkStructure(file)
  // Imported on first use, because each takes memory.
  if (type.startsWith('image/')) return (await import('./read-image.ts')).readImage(path, type)
  if (type === 'application/pdf') return (await import('./read-document.ts')).readDocument(file)
  const result = await (await import('./read-video.ts')).readVideo(path)
  if ('refused' in result) throw fail('file_invalid', result.refused)
  if (result.facts.mimeType !== type) throw damaged('its header and its content are of different types')
  return { kind: 'video', frames: null, pages: null, ...result.facts }
}

async function read({ path, type }: InspectRequest): Promise<Inspected> {
  const fd = openSync(path, 'r')
  try {
    const facts = type ? undefined : await readFacts(path, new FileBytes(fd))
    return { facts, edits: planEdits(new FileBytes(fd), type ?? facts!.mimeType) }
  } finally {
    closeSync(fd)
  }
}

async function inspect(request: InspectRequest): Promise<Inspected> {
  try {
    return await read(request)
  } catch (caught) {
    // A read past the end of the file or of a buffer.
    const error = caught instanceof RangeError ? damaged('its content cannot be read') : caught
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
