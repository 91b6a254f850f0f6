import type { Db } from '../../../db/client.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'

export interface WebhookContext {
  db: Db
  /** Encrypts the secrets; undefined if the operator has configured no key. */
  keyring: Keyring | undefined
  /** Whether URLs may be `http:`. */
  allowsHttp: boolean
  /** Whether events may be sent to this host: it exists, all its addresses are allowed, or no name server responds. */
  isReachable(host: { hostname: string; port: number }): Promise<boolean>
}

/** Who manages webhooks: a user, by one of the user's keys. */
export interface Manager {
  userId: string
  keyId: string
  rights: KeyRights
}
