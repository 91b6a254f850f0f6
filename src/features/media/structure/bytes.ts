import { fstatSync, readSync } from 'node:fs'
import { fail } from '../../../base/errors.ts'

export const cutOff = (where: string) => fail('file_invalid', `is cut off: it ends ${where}`)
export const damaged = (what: string) => fail('file_invalid', `is damaged: ${what}`)
export const trailing = (bytes: number) => fail('file_invalid.trailing', bytes)
export const tooComplex = (what: string) => fail('file_too_complex', `has ${what}`)

/** Holds the longest JPEG segment (65,533 bytes) and the longest ZIP end record (65,557). */
const BUFFER_BYTES = 65_600
/** Ten hours in blocks of a live recording take six million reads of a few bytes. */
const READS_MAX = 20_000_000
/** The maximum of one read. Tables of metadata tracks are far smaller. */
const READ_BYTES_MAX = 16 * 1024 * 1024

/** Reads a file of any size at any position, through one small buffer. The reads block: use it in a thread. */
export class FileBytes {
  /** The position of `next` and `byte`. It may be past the end: the next read throws then. */
  position = 0
  readonly size: number
  readonly #fd: number
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #at = 0
  #filled = 0
  #reads = 0

  constructor(fd: number) {
    this.#fd = fd
    this.size = fstatSync(fd).size
  }

  /** Returns `count` bytes, or as many as there are before the end of the file. Valid until the next read. */
  read(at: number, count: number): Buffer {
    if (++this.#reads > READS_MAX || count > READ_BYTES_MAX) throw tooComplex('too many parts')
    if (count > BUFFER_BYTES) {
      const bytes = Buffer.alloc(count)
      return bytes.subarray(0, this.#fill(bytes, at))
    }
    this.#load(at, count)
    return this.#buffer.subarray(at - this.#at, Math.min(at - this.#at + count, this.#filled))
  }

  /** Returns the bytes from `at` on that are in memory: at least `count`, unless the file ends before. */
  ahead(at: number, count: number): Buffer {
    this.#load(at, count)
    return this.#buffer.subarray(at - this.#at, this.#filled)
  }

  /** Returns the next `count` bytes and advances. Throws a 400 that names `where` if the file ends before. */
  next(count: number, where: string): Buffer {
    const bytes = this.ahead(this.position, count)
    if (bytes.length < count) throw cutOff(where)
    this.position += count
    return bytes.subarray(0, count)
  }

  /** Returns the next byte and advances. */
  byte(where: string): number {
    const index = this.position - this.#at
    if (index < 0 || index >= this.#filled) return this.next(1, where)[0]!
    this.position++
    return this.#buffer[index]!
  }

  #load(at: number, count: number): void {
    if (at >= this.#at && at + count <= this.#at + this.#filled) return
    this.#at = at
    this.#filled = this.#fill(this.#buffer, at)
  }

  #fill(target: Buffer, at: number): number {
    let filled = 0
    for (let count = -1; filled < target.length && count !== 0; filled += count) {
      count = readSync(this.#fd, target, filled, target.length - filled, at + filled)
    }
    return filled
  }
}
