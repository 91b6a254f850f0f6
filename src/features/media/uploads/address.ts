import type { FileKey } from '../../../../db/queries/uploads.ts'
import { UUID } from '../../../../schemas/shared.ts'
import { fail } from '../../../base/errors.ts'
import type { Keyring } from '../../../base/keyring/keyring.ts'
import { isSigned, signedAddress } from '../../../base/keyring/signed-address.ts'

const PATH = new RegExp(`^/files/uploads/(${UUID})/(${UUID})$`)

/** The address that takes the bytes of a file without a key until `expiresAt`. `publicUrl` is PUBLIC_URL. */
export const uploadAddress = (
  publicUrl: string,
  keyring: Pick<Keyring, 'signatures'>,
  { userId, id }: FileKey,
  expiresAt: Date,
): URL =>
  signedAddress(publicUrl, keyring, `/files/uploads/${userId}/${id}`, { validSeconds: 0, now: expiresAt.getTime() })

/** The file of an address. Throws 404 for an address that this service has not signed, and 410 for an expired one. */
export function addressedUpload(url: string, keyring: Pick<Keyring, 'signatures'> | undefined): FileKey {
  const address = new URL(url, 'http://localhost')
  const [, userId, id] = PATH.exec(address.pathname) ?? []
  if (!keyring || !userId || !id || !isSigned(address, keyring, 0)) throw fail('upload_not_found')
  if (!isSigned(address, keyring)) throw fail('upload_expired')
  return { userId, id }
}
