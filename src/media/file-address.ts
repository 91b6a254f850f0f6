import { timingSafeEqual } from 'node:crypto'
import { FILE_EXTENSIONS, type MediaType } from '../../schemas/media.ts'
import type { Keyring } from '../credentials/keyring.ts'

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

/** The signed address under which anybody can read a stored file for a day. `origin` is PUBLIC_URL. */
export function fileAddress(
  origin: string,
  { signatures }: Signer,
  { storageKey, mimeType }: AddressedFile,
  now = Date.now(),
): URL {
  const path = `/files/${storageKey}.${FILE_EXTENSIONS[mimeType as MediaType]}`
  const expires = String(Math.floor(now / 1000) + VALID_SECONDS)
  const address = new URL(path, origin)
  address.searchParams.set('expires', expires)
  address.searchParams.set('signature', signatures(`${path} ${expires}`)[0]!)
  return address
}

/** The file of an address; undefined if its signature is not one of this service's, or has expired. */
export function addressedFile(address: URL, { signatures }: Signer, now = Date.now()): AddressedFile | undefined {
  const { pathname, searchParams } = address
  const expires = searchParams.get('expires') ?? ''
  const signature = Buffer.from(searchParams.get('signature') ?? '')
  const isSigned = signatures(`${pathname} ${expires}`).some((expected) => isEqual(signature, Buffer.from(expected)))
  if (!isSigned || Number(expires) * 1000 <= now) return undefined
  const [, storageKey = '', extension] = /^\/files\/([\da-f]{32})\.(\w+)$/.exec(pathname) ?? []
  const mimeType = Object.entries(FILE_EXTENSIONS).find(([, known]) => known === extension)?.[0]
  return mimeType === undefined ? undefined : { storageKey, mimeType }
}

const isEqual = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)
