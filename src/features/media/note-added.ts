import type { FastifyRequest } from 'fastify'
import type { Db } from '../../../db/client.ts'
import { findListedFile, listOf, noteMediaOfAccounts } from '../../../db/queries/listed-media.ts'
import type { Added } from './add.ts'
import { hideDescription } from './file-name.ts'

/**
 * A key for some accounts sees the files that it has sent, before a post uses them. If the file was there, and the key
 * did not see it, its description stays hidden.
 */
export async function noteAdded(
  db: Db,
  { userId, rights: { accountIds } }: FastifyRequest,
  added: Added,
): Promise<Added> {
  if (!accountIds) return added
  const { media, isNew } = added
  const file = { userId, id: media.id, ...listOf(accountIds) }
  const [seen] = isNew ? [] : await findListedFile(db, file)
  if (!seen) await noteMediaOfAccounts(db, { ...file, hash: isNew ? file.accountsHash : file.resentHash })
  return isNew || seen?.isResent === false ? added : { media: hideDescription(media), isNew }
}

/** The same for a file whose bytes are still to come. */
export async function notePending(db: Db, { userId, rights: { accountIds } }: FastifyRequest, id: string) {
  if (!accountIds) return
  await noteMediaOfAccounts(db, { userId, id, hash: listOf(accountIds).accountsHash })
}
