import type { FileHandle } from 'node:fs/promises'
import { AppError } from '../../errors.ts'

export const cutOff = (where: string) => new AppError(400, 'file_invalid', `file is cut off: it ends ${where}`)
export const damaged = (what: string) => new AppError(400, 'file_invalid', `file is damaged: ${what}`)
export const trailing = (bytes: number) =>
  new AppError(400, 'file_invalid', `file has ${bytes} ${bytes === 1 ? 'byte' : 'bytes'} after its end`)

/** Holds the longest JPEG segment (65,533 bytes) and the longest ZIP end record (65,557). */
const BUFFER_BYTES = 65_600

/**
 * Reads a file of any size through one small buffer. `position` is that of the next read. Callers may set it freely,
 * also past the end: the next read throws then.
 */
export class FileBytes {
  position = 0
  readonly size: number
  readonly #handle: FileHandle
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #bufferPosition = 0
  #buffered = 0

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
  }

  /** Whether the next `count` bytes are buffered. Loops over millions of bytes await `load` only if they are not. */
  has(count: number): boolean {
    return this.position >= this.#bufferPosition && this.position + count <= this.#bufferPosition + this.#buffered
  }

  /** Buffers the next `count` bytes. Throws a 400 that names `where` if the file ends before. */
  async load(count: number, where: string): Promise<void> {
    if (this.has(count)) return
    if (this.position + count > this.size) throw cutOff(where)
    this.#bufferPosition = this.position
    this.#buffered = 0
    while (this.#buffered < count) {
      const { bytesRead } = await this.#handle.read(
        this.#buffer,
        this.#buffered,
        BUFFER_BYTES - this.#buffered,
        this.position + this.#buffered,
      )
      if (bytesRead === 0) throw cutOff(where)
      this.#buffered += bytesRead
    }
  }

  /** Returns the next `count` bytes and advances. The result is valid until the next read. */
  async next(count: number, where: string): Promise<Buffer> {
    await this.load(count, where)
    const bytes = this.loaded().subarray(0, count)
    this.position += count
    return bytes
  }

  /** Returns the next buffered byte and advances. */
  byte(): number {
    return this.#buffer[this.position++ - this.#bufferPosition]!
  }

  /** All buffered bytes from the position on. */
  loaded(): Buffer {
    return this.#buffer.subarray(this.position - this.#bufferPosition, this.#buffered)
  }
}
