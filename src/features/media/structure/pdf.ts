import { cutOff, type FileBytes } from './bytes.ts'

/** Readers look for the end of a document in as many bytes: https://www.iso.org/standard/75839.html, annex I. */
const TAIL_BYTES = 1_024

/** Throws a 400 unless the document has an end. The search for its objects without one takes much time. */
export function checkPdfEnd(file: FileBytes): void {
  const tail = file.read(Math.max(0, file.size - TAIL_BYTES), TAIL_BYTES)
  if (!tail.includes('%%EOF')) throw cutOff('before its %%EOF')
}
