import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'

/** The contents of a row, such as tokens by their names. */
type Credentials = Readonly<Record<string, string>>

/** The encrypted credentials of one account, as they are stored. */
export interface SealedCredentials {
  /** The key that encrypts the data key. */
  keyId: string
  dataKey: Buffer
  data: Buffer
}

/**
 * Encrypts credentials with the operator's keys. Credentials sealed for one account cannot be opened for another.
 * `open` and `rewrap` throw an Error if they lack the key, or if the row was modified. The Error names the key, and
 * reveals nothing of the contents.
 */
export interface Keyring {
  /** The current key, which `seal` and `rewrap` use. */
  keyId: string
  /** All keys, the current one first. */
  keyIds: string[]
  seal(accountId: string, credentials: Credentials): SealedCredentials
  open(accountId: string, sealed: SealedCredentials): Credentials
  /**
   * Fingerprints of a text, one for each key, the current key's first. Equal texts have equal fingerprints. Without the
   * key, a fingerprint reveals nothing about its text.
   */
  fingerprints(text: string): string[]
  /**
   * Signatures of an address, one for each key, the current key's first. They consist of letters, digits, `-` and `_`.
   */
  signatures(address: string): string[]
  /** Encrypts the data key with the current key. The data stays the same. */
  rewrap(accountId: string, sealed: SealedCredentials): SealedCredentials
}

export const KEY_BYTES = 32

/** Parses a key in base64. Returns undefined if the text is not one. */
export const parseKey = (text: string): Buffer | undefined =>
  /^[A-Za-z0-9+/]{43}=$/.test(text) ? Buffer.from(text, 'base64') : undefined

/** `keys` have 32 bytes each. The first, the current key, encrypts; all of them decrypt. */
export function createKeyring(keys: Buffer[]): Keyring {
  const byId = new Map(keys.map((key) => [idOf(key), key]))
  const [keyId] = byId.keys()
  if (keyId === undefined || keys.some(({ length }) => length !== KEY_BYTES)) {
    throw new Error(`A keyring needs one or more keys of ${KEY_BYTES} bytes`)
  }

  // Derived keys, so that no key has two uses.
  const derive = (purpose: string) => keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES)))
  const fingerprintKeys = derive('fingerprints')
  const signatureKeys = derive('file addresses')

  const wrap = (accountId: string, dataKey: Buffer) => encrypt(byId.get(keyId)!, `${keyId}:${accountId}`, dataKey)

  function unwrap(accountId: string, { keyId, dataKey }: SealedCredentials): Buffer {
    const key = byId.get(keyId)
    if (!key) throw new Error(`The credentials of account ${accountId} need the key ${keyId}, which is missing`)
    return decrypt(key, `${keyId}:${accountId}`, dataKey)
  }

  /** Replaces Node's error, which may quote the contents, by one that names the key. */
  function withSafeError<T>(accountId: string, { keyId }: SealedCredentials, work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (!byId.has(keyId)) throw error
      throw new Error(
        `The credentials of account ${accountId} cannot be decrypted with the key ${keyId}: they were modified`,
      )
    }
  }

  return {
    keyId,
    keyIds: [...byId.keys()],
    seal: (accountId, credentials) => {
      // One data key per row: a random iv must not repeat under one key.
      const dataKey = randomBytes(KEY_BYTES)
      const data = encrypt(dataKey, accountId, Buffer.from(JSON.stringify(credentials)))
      return { keyId, dataKey: wrap(accountId, dataKey), data }
    },
    open: (accountId, sealed) =>
      withSafeError(accountId, sealed, () =>
        JSON.parse(decrypt(unwrap(accountId, sealed), accountId, sealed.data).toString()),
      ),
    fingerprints: (text) => fingerprintKeys.map((key) => createHmac('sha256', key).update(text).digest('base64')),
    signatures: (address) => signatureKeys.map((key) => createHmac('sha256', key).update(address).digest('base64url')),
    rewrap: (accountId, sealed) =>
      withSafeError(accountId, sealed, () => ({
        keyId,
        dataKey: wrap(accountId, unwrap(accountId, sealed)),
        data: sealed.data,
      })),
  }
}

/** A prefix of the key's hash: identifies the key, and reveals nothing about it. */
const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8)

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Returns iv, tag and ciphertext, concatenated. */
function encrypt(key: Buffer, associated: string, plain: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(associated))
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted])
}

function decrypt(key: Buffer, associated: string, sealed: Buffer): Buffer {
  const textStart = IV_BYTES + TAG_BYTES
  // A KeyObject: with a plain buffer, Node takes 13 µs instead of 4.
  const decipher = createDecipheriv(CIPHER, createSecretKey(key), sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(associated))
    .setAuthTag(sealed.subarray(IV_BYTES, textStart))
  return Buffer.concat([decipher.update(sealed.subarray(textStart)), decipher.final()])
}
