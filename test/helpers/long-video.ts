import { readFileSync } from 'node:fs'

const SAMPLE = readFileSync('test/samples/plain.mp4')
const HEADER = SAMPLE.indexOf('mvhd', 0, 'latin1')

/** A short MP4 whose header states this duration: ISO/IEC 14496-12, 8.2.2. */
export function videoLasting(seconds: number): Buffer {
  const content = Buffer.from(SAMPLE)
  content.writeUInt32BE(SAMPLE.readUInt32BE(HEADER + 16) * seconds, HEADER + 20)
  return content
}
