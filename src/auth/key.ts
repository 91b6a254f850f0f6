import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'pr_'
const RANDOM_LENGTH = 30
const CHECK_LENGTH = 6
const KEY_PATTERN = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`)

/** The part of a key that may be shown later, to tell keys apart. */
const START_LENGTH = PREFIX.length + 6

/** Returns a new API key: `pr_`, 30 random characters (178 bits), and a checksum that detects typing mistakes. */
export function generateKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE_62[randomInt(62)]).join('')
  return PREFIX + random + checksum(PREFIX + random)
}

/** Whether a text has the form and the checksum of an API key. */
export const isKey = (text: string) => KEY_PATTERN.test(text) && text.endsWith(checksum(text.slice(0, -CHECK_LENGTH)))

/** The stored form of a key. Keys are long and random, so a slow hash would add no security. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

export const startOfKey = (key: string) => key.slice(0, START_LENGTH)

function checksum(text: string): string {
  let remainder = crc32(text)
  let digits = ''
  while (digits.length < CHECK_LENGTH) {
    digits = BASE_62[remainder % 62] + digits
    remainder = Math.floor(remainder / 62)
  }
  return digits
}
