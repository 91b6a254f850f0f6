import { createHash, randomBytes } from 'node:crypto'

/** A text that cannot be guessed, for an address or a cookie: 256 bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** The stored form of a secret. A plain hash is enough, because a secret is random. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
