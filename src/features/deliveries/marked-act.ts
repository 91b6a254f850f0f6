import type { Db } from '../../../db/client.ts'
import { findAddressedAccount } from '../../../db/queries/accounts.ts'
import type { SentAct } from '../../../db/queries/delivery/delivery.ts'
import { INVALID_URL, urlElsewhere, urlOfAnotherAccount } from '../../../schemas/messages.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { invalidRequest } from '../../base/errors.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { readPostAddress } from '../../platforms/rules/post-address.ts'

/** Throws 400 for an address that is not http(s). */
export function requireUrl(url: string): void {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw invalidUrl('invalid_string', INVALID_URL)
}

export const invalidUrl = (code: 'invalid_string' | 'custom', message: string) =>
  invalidRequest([{ code, ...(code === 'invalid_string' && { validation: 'url' }), path: ['url'], message }])

interface Marked {
  accountId: string
  platform: PlatformId
  /** Whether it is the post or a part of its thread: addresses of comments have no common form. */
  isPost: boolean
  url: string | undefined
}

/**
 * An act that its owner has published by hand, with the id that its address has. Throws 400 for an address of another
 * network or account.
 */
export async function readMarkedAct(db: Db, { accountId, platform, isPost, url }: Marked): Promise<SentAct> {
  const { name, addresses } = NETWORKS[platform]
  if (url === undefined || !isPost || !addresses) return { id: null, url: url ?? null }
  const account = await findAddressedAccount(db, accountId)
  const read = readPostAddress(addresses, new URL(url), account)
  if (read === 'elsewhere') throw invalidUrl('custom', urlElsewhere(name, addresses.form))
  if ('owner' in read) throw invalidUrl('custom', urlOfAnotherAccount(read.owner, account.username))
  return { id: read.id, url }
}
