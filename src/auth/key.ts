import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'pr_'
const RANDOM_LENGTH = 30
const CHECK_LENGTH = 6
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`)

/** How much of a key may be shown later, to tell keys apart. */
const START_LENGTH = PREFIX.length + 6

/** A new API key: `pr_`, 30 random characters (178 bits), and a checksum that tells a typing mistake from a wrong key. */
export function generateKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE_62[randomInt(62)]).join('')
  return PREFIX + random + checksum(PREFIX + random)
}

/** True of what `generateKey` may have made. */
export const isKey = (text: string) => FORM.test(text) && text.endsWith(checksum(text.slice(0, -CHECK_LENGTH)))

/** What is stored of a key. The key is long and random, so a slow hash would add nothing. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

export const startOfKey = (key: string) => key.slice(0, START_LENGTH)

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECK_LENGTH; place++) {
    digits = BASE_62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
