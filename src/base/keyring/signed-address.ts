import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from './keyring.ts'

type Signer = Pick<Keyring, 'signatures'>

/** The address of a path under which anybody can read it for a time. `publicUrl` is PUBLIC_URL. */
export function signedAddress(
  publicUrl: string,
  { signatures }: Signer,
  path: string,
  { validSeconds, now = Date.now() }: { validSeconds: number; now?: number },
): URL {
  const expires = String(Math.floor(now / 1000) + validSeconds)
  const address = new URL(`${publicUrl}${path}`)
  address.searchParams.set('expires', expires)
  address.searchParams.set('signature', signatures(`${path} ${expires}`)[0]!)
  return address
}

/** Whether the signature of an address is one of this service's, and has not expired. */
export function isSigned({ pathname, searchParams }: URL, { signatures }: Signer, now = Date.now()): boolean {
  const expires = searchParams.get('expires') ?? ''
  const signature = Buffer.from(searchParams.get('signature') ?? '')
  const isOurs = signatures(`${pathname} ${expires}`).some((expected) => isEqual(signature, Buffer.from(expected)))
  return isOurs && Number(expires) * 1000 > now
}

const isEqual = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)
