import type { Io, Profile } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { avatarOf } from '../wire/avatar.ts'
import { textAt } from '../wire/json.ts'
import { readLimits } from './facts.ts'
import { clientFor, readAccount } from './instance.ts'

/** The account of an access token. The id is unique on its instance alone. */
export async function readProfile(io: Io): Promise<Profile> {
  const instance = clientFor(io)
  const account = await readAccount(instance, io)
  const id = textAt(account, 'id')
  const username = textAt(account, 'username')
  if (id === undefined || username === undefined) throw unexpected(instance.host, false)
  return {
    externalId: `${id}@${instance.host}`,
    username: `${username}@${instance.host}`,
    displayName: textAt(account, 'display_name') || null,
    ...avatarOf(textAt(account, 'avatar_static')),
    ...(await readLimits(instance, io)),
  }
}
