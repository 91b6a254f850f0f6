import type { KeyObject } from 'node:crypto'
import type { CredentialsRow } from '../../../db/queries/credentials.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { signingKeyOf } from './sign.ts'

/** The secrets of a webhook, as they are encrypted. */
interface Secrets {
  secret: string
  previousSecret?: string
  /** Headers of the owner. They may be secrets of the receiver. */
  headers?: Record<string, string>
}

export type OpenSecrets = Pick<Keyring, 'keyIds' | 'open'>

/** Decrypts the secrets of a webhook. Throws if they need a key that the keyring lacks. */
export function openSecrets({ open }: OpenSecrets, row: CredentialsRow & { id: string }): Secrets {
  const { id, keyId, dataKey, data } = row
  const { secret, previousSecret, headers } = open(id, { keyId, dataKey, data })
  return {
    secret: secret!,
    ...(previousSecret !== undefined && { previousSecret }),
    ...(headers !== undefined && { headers: JSON.parse(headers) }),
  }
}

export const sealSecrets = (keyring: Keyring, id: string, { secret, previousSecret, headers = {} }: Secrets) =>
  keyring.seal(id, {
    secret,
    ...(previousSecret !== undefined && { previousSecret }),
    ...(Object.keys(headers).length > 0 && { headers: JSON.stringify(headers) }),
  })

/** The secrets and headers of the requests to a webhook. */
export interface Signing {
  /** The keys that sign its events, the current one first. */
  keys: KeyObject[]
  headers: Record<string, string>
}

/** Undefined if this process cannot decrypt the secrets of the webhook. */
export function openSigning(
  keyring: OpenSecrets,
  row: CredentialsRow & { id: string; hasPreviousSecret: boolean },
): Signing | undefined {
  if (!keyring.keyIds.includes(row.keyId)) return undefined
  const { secret, previousSecret, headers = {} } = openSecrets(keyring, row)
  const isSigning = row.hasPreviousSecret && previousSecret !== undefined
  return { keys: (isSigning ? [secret, previousSecret] : [secret]).map(signingKeyOf), headers }
}
