import { readSync } from 'node:fs'
import { fail } from '../../errors.ts'

export const cutOff = (where: string) => fail('file_invalid', `is cut off: it ends ${where}`)
export const damaged = (what: string) => fail('file_invalid', `is damaged: ${what}`)
export const trailing = (bytes: number) => fail('file_invalid.trailing', bytes)

/** Holds the longest JPEG segment (65,533 bytes) and the longest ZIP end record (65,557). */
const BUFFER_BYTES = 65_600

/**
 * Reads a file of any size through one small buffer. `position` is that of the next read. Callers may set it freely,
 * also past the end: the next read throws then. Blocks the thread: this is no class for the main thread.
 */
export class FileBytes {
  position = 0
  readonly size: number
  readonly #fd: number
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #bufferPosition = 0
  #buffered = 0

  constructor(fd: number, size: number) {
    this.#fd = fd
    this.size = size
  }

  /** Buffers the next `count` bytes. Throws a 400 that names `where` if the file ends before. */
  load(count: number, where: string): void {
    const { position } = this
    if (position >= this.#bufferPosition && position + count <= this.#bufferPosition + this.#buffered) return
    if (position + count > this.size) throw cutOff(where)
    this.#bufferPosition = position
    this.#buffered = 0
    while (this.#buffered < count) {
      const left = BUFFER_BYTES - this.#buffered
      const bytesRead = readSync(this.#fd, this.#buffer, this.#buffered, left, position + this.#buffered)
      if (bytesRead === 0) throw cutOff(where)
      this.#buffered += bytesRead
    }
  }

  /** Returns the next `count` bytes and advances. The result is valid until the next read. */
  next(count: number, where: string): Buffer {
    this.load(count, where)
    const bytes = this.loaded().subarray(0, count)
    this.position += count
    return bytes
  }

  /** Returns the next byte and advances. */
  byte(where: string): number {
    this.load(1, where)
    return this.#buffer[this.position++ - this.#bufferPosition]!
  }

  /** All buffered bytes from the position on. */
  loaded(): Buffer {
    return this.#buffer.subarray(this.position - this.#bufferPosition, this.#buffered)
  }
}
