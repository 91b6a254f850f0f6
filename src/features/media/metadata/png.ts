import { crc32 } from 'node:zlib'
import type { FileBytes } from '../structure/bytes.ts'
import { chunksIn } from '../structure/png.ts'
import type { EditList } from './edits.ts'
import { orientationOnly } from './exif.ts'

/**
 * The chunks that describe the picture, its colours, transparency and animation: https://www.w3.org/TR/png-3/#11Chunks.
 * All critical chunks, whose names begin with a capital letter, stay as well.
 */
const KEPT = /^(?:[A-Z]...|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|cICP|mDCV|cLLI|bKGD|hIST|pHYs|sPLT|acTL|fcTL|fdAT)$/
/** A private ancillary chunk, which decoders skip: https://www.w3.org/TR/png-3/#5Chunk-naming-conventions. */
const BLANK = Buffer.from('voId')
const ZEROS = Buffer.alloc(64 * 1024)

/** Keeps the picture and the orientation. All other chunks become chunks of zeros that decoders skip. */
export function planPng(file: FileBytes, edits: EditList): void {
  let hasExif = false
  for (const { type, at, start, end } of chunksIn(file)) {
    if (!KEPT.test(type)) {
      const exif: Buffer | undefined = type === 'eXIf' && !hasExif ? orientationOnly(file, start, end) : undefined
      hasExif ||= exif !== undefined
      const name = exif ? Buffer.from(type) : BLANK
      const content = exif ?? Buffer.alloc(0)
      edits.replace(at + 4, end, Buffer.concat([name, content]))
      edits.put(end, checksum(Buffer.concat([name, content]), end - start - content.length))
    }
  }
}

/** The CRC of `bytes` followed by zeros. */
function checksum(bytes: Buffer, zeros: number): Buffer {
  let crc = crc32(bytes)
  for (let left = zeros; left > 0; left -= ZEROS.length) crc = crc32(ZEROS.subarray(0, left), crc)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc)
  return checksum
}
