import type { KeyObject } from 'node:crypto'
import type { CredentialsRow } from '../../db/queries/credentials.ts'
import type { Keyring } from '../keyring/keyring.ts'
import { signingKeyOf } from './sign.ts'

/** The secrets of a webhook, as they are encrypted. */
export interface Secrets {
  secret: string
  previousSecret?: string
}

export type OpenSecrets = Pick<Keyring, 'keyIds' | 'open'>

/** Decrypts the secrets of a webhook. Throws if they need a key that the keyring lacks. */
export const openSecrets = ({ open }: OpenSecrets, { id, keyId, dataKey, data }: CredentialsRow & { id: string }) =>
  open(id, { keyId, dataKey, data }) as unknown as Secrets

export const sealSecrets = (keyring: Keyring, id: string, { secret, previousSecret }: Secrets) =>
  keyring.seal(id, previousSecret === undefined ? { secret } : { secret, previousSecret })

/** The keys that sign the events of a webhook, the current one first. Undefined if this process cannot decrypt them. */
export function signingKeysOf(
  keyring: OpenSecrets,
  row: CredentialsRow & { id: string; hasPreviousSecret: boolean },
): KeyObject[] | undefined {
  if (!keyring.keyIds.includes(row.keyId)) return undefined
  const { secret, previousSecret } = openSecrets(keyring, row)
  const isSigning = row.hasPreviousSecret && previousSecret !== undefined
  return (isSigning ? [secret, previousSecret] : [secret]).map(signingKeyOf)
}
