import { fail } from '../../base/errors.ts'
import type { Vault } from '../../base/http/idempotency-key.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'

/** Encrypts the stored response of a connection: it has the link, or the `state` of its flow. */
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
