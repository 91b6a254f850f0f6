import { FILE_EXTENSIONS, type MediaType } from '../../../schemas/media.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { isSigned, signedAddress } from '../../base/keyring/signed-address.ts'

/**
 * How long an address works. Networks fetch a file while they process a container, and containers of Instagram and
 * Threads expire after a day.
 */
const VALID_SECONDS = 86_400

type Signer = Pick<Keyring, 'signatures'>

export interface AddressedFile {
  storageKey: string
  mimeType: string
}

/** The signed address under which anybody can read a stored file for a day. `publicUrl` is PUBLIC_URL. */
export const fileAddress = (
  publicUrl: string,
  signer: Signer,
  { storageKey, mimeType }: AddressedFile,
  now = Date.now(),
): URL =>
  signedAddress(publicUrl, signer, `/files/${storageKey}.${FILE_EXTENSIONS[mimeType as MediaType]}`, {
    validSeconds: VALID_SECONDS,
    now,
  })

/** The file of an address; undefined if its signature is not one of this service's, or has expired. */
export function addressedFile(address: URL, signer: Signer, now = Date.now()): AddressedFile | undefined {
  if (!isSigned(address, signer, now)) return undefined
  const [, storageKey = '', extension] = /^\/files\/([\da-f]{32})\.(\w+)$/.exec(address.pathname) ?? []
  const mimeType = Object.entries(FILE_EXTENSIONS).find(([, known]) => known === extension)?.[0]
  return mimeType === undefined ? undefined : { storageKey, mimeType }
}
