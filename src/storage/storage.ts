import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** Where the bytes of media are kept. A key is 32 hexadecimal digits in lower case, random, and used once. */
export interface Storage {
  /**
   * Stores the file at `path` under `key`: whole or not at all, and to stay once this has come back. The file at `path`
   * may be moved away; where it is not, removing it is up to the caller. Throws where there is something under `key`
   * already. After any throw, `remove` clears away what may be left.
   */
  put(key: string, path: string, mimeType: string): Promise<void>

  /** Removes what is stored under `key`, and what an interrupted `put` has left. It is no error if there is nothing. */
  remove(key: string): Promise<void>

  /** The bytes under `key`, as a stream that the caller reads or destroys. Throws a NotStored where there are none. */
  read(key: string): Promise<Readable>

  /**
   * What to answer to a GET or HEAD for the bytes under `key`: themselves (or the range asked for, or "not modified"),
   * or an address where they are. Throws a NotStored where there is nothing under `key`. `fileName` is plain ASCII
   * without quotes. A body holds a file open: it is to be read to its end or destroyed.
   */
  serve(key: string, request: IncomingMessage, as: { mimeType: string; fileName: string }): Promise<Served>
}

export interface Served {
  statusCode: 200 | 206 | 304 | 307 | 412 | 416
  headers: Record<string, string>
  body: Readable | undefined
}

/** The bytes that should be there are not. */
export class NotStored extends Error {}

/**
 * The bytes under a key never change, but they may be deleted. So a client keeps them and asks each time whether they
 * are still there, which costs a 304; with `max-age` and `immutable` it would go on showing what was deleted.
 */
export const CACHE_CONTROL = 'private, no-cache'

export const disposition = (fileName: string) => `inline; filename="${fileName}"`

/** Throws where `key` is no key: it becomes a path, or the name of an object. */
export function assertKey(key: string): void {
  if (!/^[0-9a-f]{32}$/.test(key)) throw new TypeError('A storage key has 32 hexadecimal digits in lower case')
}
