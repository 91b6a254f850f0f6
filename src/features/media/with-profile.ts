const MARKER_BYTES = 2
/**
 * A segment has at most 65,535 bytes with its length and its name:
 * https://www.color.org/technotes/ICC-Technote-ProfileEmbedding.pdf
 */
const PROFILE_PART_BYTES = 65_519

/** A JPEG with a colour profile, which says what its pixels mean and changes none. */
export function withProfile(jpeg: Buffer, icc: Buffer): Buffer {
  const count = Math.ceil(icc.length / PROFILE_PART_BYTES)
  const segments = Array.from({ length: count }, (_, index) => {
    const part = icc.subarray(index * PROFILE_PART_BYTES, (index + 1) * PROFILE_PART_BYTES)
    const head = Buffer.from(`\xff\xe2\0\0ICC_PROFILE\0${String.fromCharCode(index + 1, count)}`, 'latin1')
    head.writeUInt16BE(head.length - MARKER_BYTES + part.length, MARKER_BYTES)
    return Buffer.concat([head, part])
  })
  return Buffer.concat([jpeg.subarray(0, MARKER_BYTES), ...segments, jpeg.subarray(MARKER_BYTES)])
}
