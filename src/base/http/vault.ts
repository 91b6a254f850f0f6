import { fail } from '../errors.ts'
import type { Keyring } from '../keyring/keyring.ts'
import type { Vault } from './idempotency-key.ts'

/** Encrypts stored responses of a user that have a secret, such as the link of a connection. */
export function vaultOf(keyring: Keyring, userId: string): Vault {
  const owner = `responses of ${userId}`
  return {
    seal(text) {
      const { keyId, dataKey, data } = keyring.seal(owner, { text })
      return [keyId, dataKey.toString('base64'), data.toString('base64')].join(' ')
    },
    open(sealed) {
      const [keyId = '', dataKey = '', data = ''] = sealed.split(' ')
      if (!keyring.keyIds.includes(keyId)) throw fail('credentials_key_mismatch')
      const parts = { keyId, dataKey: Buffer.from(dataKey, 'base64'), data: Buffer.from(data, 'base64') }
      return keyring.open(owner, parts).text!
    },
  }
}
