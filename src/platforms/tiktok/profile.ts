import type { Io, Profile } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { object, optional, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { textAt } from '../wire/json.ts'
import { call, clientFor, HOST } from './client.ts'

/** https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info. TikTok refuses fields whose scope was not granted. */
export async function readProfile(io: Io, scopes: readonly string[]): Promise<Profile> {
  const hasProfile = scopes.includes('user.info.profile')
  const fields = ['open_id', 'display_name', 'avatar_url', ...(hasProfile ? ['username'] : [])]
  const data = await call(clientFor(io), io, `/v2/user/info/?fields=${fields}`, {
    method: 'GET',
    data: object({ user: object({ open_id: TEXT, display_name: optional(TEXT), username: optional(TEXT) }) }),
  })
  const openId = textAt(data, 'user', 'open_id') ?? ''
  const displayName = textAt(data, 'user', 'display_name')
  const username = textAt(data, 'user', 'username') || displayName
  if (!/^[\x21-\x7e]{1,128}$/.test(openId) || !username) throw unexpected(HOST, false)
  return {
    externalId: openId,
    username,
    displayName: displayName || null,
    ...avatarOf(textAt(data, 'user', 'avatar_url')),
  }
}
