import { AppError, fail } from '../../base/errors.ts'
import type { MediaFile } from './inspected.ts'
import { damaged, type FileBytes } from './structure/bytes.ts'

/** The page tree and the table of objects are read in pieces of this size. */
const CHUNK_BYTES = 65_536

/**
 * The facts of a PDF. PDF.js reads the parts of the file that lead to its pages, and draws none. A crafted file can
 * make it use unlimited time and memory: run this in a thread with limits.
 */
export async function readDocument(file: FileBytes): Promise<MediaFile> {
  const { getDocument, PDFDataRangeTransport, VerbosityLevel } = await import('unpdf/pdfjs')

  class Ranges extends PDFDataRangeTransport {
    override requestDataRange(begin: number, end: number) {
      this.onDataRange(begin, Uint8Array.from(file.read(begin, end - begin)))
    }
  }

  const task = getDocument({
    range: new Ranges(file.size, null),
    rangeChunkSize: CHUNK_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    stopAtErrors: true,
    useSystemFonts: false,
    verbosity: VerbosityLevel.ERRORS,
  })
  try {
    const document = await task.promise
    if (document.numPages === 0) throw damaged('it has no pages')
    const { info } = await document.getMetadata()
    if ('EncryptFilterName' in info && info.EncryptFilterName) throw encrypted()
    await document.getPage(1)
    return { ...NO_PICTURE, kind: 'document', mimeType: 'application/pdf', pages: document.numPages }
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw encrypted()
    if (error instanceof AppError || (error instanceof Error && 'syscall' in error)) throw error
    throw damaged('its pages cannot be read')
  } finally {
    await task.destroy()
  }
}

const NO_PICTURE = { width: null, height: null, durationSeconds: null, fps: null, frames: null, tracks: null }

const encrypted = () => fail('file_invalid', 'is encrypted: remove its password and its restrictions')
