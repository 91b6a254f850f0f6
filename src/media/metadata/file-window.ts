import { fstatSync, readSync } from 'node:fs'
import { tooComplex } from './edits.ts'

const WINDOW_BYTES = 64 * 1024
/** Ten hours in blocks of a live recording take six million reads of a few bytes. */
const READS_MAX = 20_000_000
/** The limit of one read. Tables of metadata tracks are far smaller. */
const BYTES_MAX = 16 * 1024 * 1024

/** Reads a file of any size at any position, through one small buffer. The reads block: use it in a thread. */
export class FileWindow {
  readonly size: number
  readonly #fd: number
  readonly #window = Buffer.allocUnsafe(WINDOW_BYTES)
  #at = 0
  #filled = 0
  #reads = 0

  constructor(fd: number) {
    this.#fd = fd
    this.size = fstatSync(fd).size
  }

  /** Returns `count` bytes, or as many as there are before the end of the file. Valid until the next read. */
  read(at: number, count: number): Buffer {
    if (++this.#reads > READS_MAX || count > BYTES_MAX) throw tooComplex('too many parts')
    if (count > WINDOW_BYTES) {
      const bytes = Buffer.alloc(count)
      return bytes.subarray(0, this.#load(bytes, at))
    }
    if (at < this.#at || at + count > this.#at + this.#filled) {
      this.#at = at
      this.#filled = this.#load(this.#window, at)
    }
    return this.#window.subarray(at - this.#at, Math.min(at - this.#at + count, this.#filled))
  }

  #load(target: Buffer, at: number): number {
    let filled = 0
    for (let count = -1; filled < target.length && count !== 0; filled += count) {
      count = readSync(this.#fd, target, filled, target.length - filled, at + filled)
    }
    return filled
  }
}
