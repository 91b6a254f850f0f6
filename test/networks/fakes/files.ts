/** Readers of the files that fakes get. Null or undefined: the bytes of a test are not such a file. */

/** Width and height of a JPEG, in its first frame header. */
export function sizeOf(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== 0xffd8) return null
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at)
    if (marker >= 0xffc0 && marker <= 0xffc3) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
  }
  return null
}

/**
 * The code of the first sample entry of an MP4's video (`vide`) or sound (`soun`), such as `avc1`: ISO/IEC 14496-12,
 * 8.5.2.
 */
function codeOf(bytes: Buffer, handler: 'vide' | 'soun'): string | undefined {
  const entry = new RegExp(`^${handler}[^]{0,800}?stsd[^]{12}([^]{4})`)
  for (let at = bytes.indexOf(handler); at >= 0; at = bytes.indexOf(handler, at + 1)) {
    const code = entry.exec(bytes.toString('latin1', at, at + 824))?.[1]
    if (code !== undefined) return code
  }
  return undefined
}

const CODES = { avc: /^avc[13]$/, hevc: /^h(?:vc|ev)1$/, vp8: /^vp08$/, vp9: /^vp09$/, av1: /^av01$/ }

/** Whether the video of an MP4 has another codec than these. */
export function hasOtherVideo(bytes: Buffer, codecs: (keyof typeof CODES)[]): boolean {
  const code = codeOf(bytes, 'vide')
  return code !== undefined && !codecs.some((codec) => CODES[codec].test(code))
}

/** Whether the sound of an MP4 is not AAC. */
export const hasOtherSound = (bytes: Buffer): boolean => (codeOf(bytes, 'soun') ?? 'mp4a') !== 'mp4a'

/** The seconds that the header of an MP4 (`mvhd`, ISO/IEC 14496-12, 8.2.2) states. */
export function durationOf(bytes: Buffer): number | undefined {
  const at = bytes.indexOf('mvhd', 0, 'latin1') + 4
  if (at < 4) return undefined
  const isLong = bytes[at] === 1
  const timescale = bytes.readUInt32BE(at + (isLong ? 20 : 12))
  return (isLong ? Number(bytes.readBigUInt64BE(at + 24)) : bytes.readUInt32BE(at + 16)) / timescale
}
