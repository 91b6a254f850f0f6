import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The first characters of each kind of secret, so that people and secret scanners can tell them apart. */
const PREFIXES = {
  key: 'pr_',
  accessToken: 'prat_',
  refreshToken: 'prrt_',
  authorizationCode: 'prac_',
  approval: 'prap_',
} as const
type SecretKind = keyof typeof PREFIXES

const RANDOM_LENGTH = 30
const CHECK_LENGTH = 6
const FORM = new RegExp(`^(pr(?:at|rt|ac|ap)?_)[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`)

/** The part of a key that may be shown later, to tell keys apart. */
const START_LENGTH = PREFIXES.key.length + 6

/** Returns a new secret: its prefix, 30 random characters (178 bits), and a checksum that detects typing mistakes. */
export function generateSecret(kind: SecretKind): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE_62[randomInt(62)]).join('')
  return PREFIXES[kind] + random + checksum(PREFIXES[kind] + random)
}

export const generateKey = (): string => generateSecret('key')

/** Whether a text has the form and the checksum of a secret of this kind. */
export const isSecret = (kind: SecretKind, text: string): boolean =>
  FORM.exec(text)?.[1] === PREFIXES[kind] && text.endsWith(checksum(text.slice(0, -CHECK_LENGTH)))

export const isKey = (text: string): boolean => isSecret('key', text)

/** The stored form of a secret. Secrets are long and random, so a slow hash would add no security. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

export const startOfKey = (key: string) => key.slice(0, START_LENGTH)

/** The letters and digits that people do not confuse: I, O, 0 and 1 are missing. */
const BASE_32 = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const CODE_FORM = new RegExp(`^[${BASE_32}]{12}$`)

/**
 * Returns a code for people to copy. It has 60 random bits: strangers who try 5,000 codes a second during its ten
 * minutes find it with a probability of 3 in 10^12. It needs no limit of wrong codes, by which they could keep out its
 * owner.
 */
export const generateCode = (): string => groups(Array.from({ length: 12 }, () => BASE_32[randomInt(32)]).join(''))

/** Returns the code in a text as it was generated: people enter it in any case, with any spaces and hyphens. */
export function readCode(entered: string): string | undefined {
  const code = entered.replaceAll(/[\s-]/g, '').toUpperCase()
  return CODE_FORM.test(code) ? groups(code) : undefined
}

const groups = (code: string) => code.replaceAll(/.{4}(?=.)/g, '$&-')

function checksum(text: string): string {
  let remainder = crc32(text)
  let digits = ''
  while (digits.length < CHECK_LENGTH) {
    digits = BASE_62[remainder % 62] + digits
    remainder = Math.floor(remainder / 62)
  }
  return digits
}
