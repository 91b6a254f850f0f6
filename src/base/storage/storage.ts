import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/**
 * Stores the bytes of media. A key is 32 random lower-case hexadecimal digits, and is used once. Every method throws a
 * StorageError if the storage cannot be used.
 */
export interface Storage {
  /**
   * Stores the file at `path` under `key`, completely or not at all. When it returns, the file is durable. It may move
   * the file away from `path`; otherwise the caller deletes that file. Throws if `key` is in use. After an error,
   * `remove` deletes what may be left.
   */
  put(key: string, path: string, mimeType: string): Promise<void>

  /** Deletes what is stored under `key`, and what an interrupted `put` left. A key without a file is not an error. */
  remove(key: string): Promise<void>

  /** The number of bytes under `key`. Throws a NotStoredError if nothing is stored there. */
  size(key: string): Promise<number>

  /**
   * The bytes under `key`, or `bytes` of them after the first `from`, as a stream that the caller has to read or
   * destroy. Throws a NotStoredError if nothing is stored there.
   */
  read(key: string, range?: { from: number; bytes: number }): Promise<Readable>

  /**
   * The response to a GET or HEAD for the bytes under `key`: the bytes, a range of them, "not modified", or a redirect.
   * Throws a NotStoredError if nothing is stored there. `fileName` is plain ASCII without quotes. A body keeps a file
   * open until it is read to its end or destroyed.
   */
  serve(key: string, request: IncomingMessage, as: { mimeType: string; fileName: string }): Promise<Served>

  /** Writes, reads and deletes a small object. Returns when all three succeeded. */
  check(): Promise<void>
}

export interface Served {
  statusCode: 200 | 206 | 304 | 307 | 412 | 416
  headers: Record<string, string>
  body: Readable | undefined
}

/** The storage is away, refuses access, is broken or is full. The message names the cause for the operator. */
export class StorageError extends Error {
  /** Whether it has no space left. */
  readonly isFull: boolean

  constructor(message: string, { cause, isFull = false }: { cause?: unknown; isFull?: boolean } = {}) {
    super(message, { cause })
    this.isFull = isFull
  }
}

/** Throws the error of a file operation as a StorageError, and any other error unchanged. */
export function throwFileError(error: unknown): never {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException
  if (syscall === undefined) throw error
  throw new StorageError(message, { cause: error, isFull: code === 'ENOSPC' || code === 'EDQUOT' })
}

/** No bytes are stored under a key. */
export class NotStoredError extends Error {
  constructor(key: string, cause: unknown) {
    super(`Nothing is stored under ${key}`, { cause })
  }
}

/** The metadata of a stored file cannot be removed, for the reason in the message. Another attempt finds the same. */
export class UnpublishableError extends Error {}

/**
 * The bytes under a key never change, but they may be deleted. `no-cache` lets a client keep them, and makes it
 * revalidate each time, which costs a 304. With `max-age` and `immutable`, it would keep showing deleted files.
 */
export const CACHE_CONTROL = 'private, no-cache'

export const disposition = (fileName: string) => `inline; filename="${fileName}"`

/** Throws if `key` is malformed. A key becomes part of a path, or the name of an object. */
export function assertKey(key: string): void {
  if (!/^[0-9a-f]{32}$/.test(key)) throw new TypeError('A storage key must have 32 lower-case hexadecimal digits')
}
