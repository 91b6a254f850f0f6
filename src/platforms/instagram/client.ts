import type { Io, Profile } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { idAt, isToken, type MetaApi, metaApi } from '../families/meta/api.ts'
import { object, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { textAt } from '../wire/json.ts'

/** https://developers.facebook.com/docs/graph-api/changelog: of 2026-07-29. Versions live for two years. */
export const BASE = 'https://graph.instagram.com/v26.0'

type Caller = Pick<Io, 'credentials'>

export function clientOf({ credentials: { accessToken = '' } }: Caller): MetaApi {
  if (!isToken(accessToken)) throw unauthorized('accessToken has to be a token of Instagram: connect the account again')
  return metaApi(BASE, accessToken)
}

/** The id of the professional account, which is part of paths. */
export function userIdOf({ credentials: { userId = '' } }: Caller): string {
  if (!/^\d{1,32}$/.test(userId)) throw unauthorized('userId has to be the id of the account: connect it again')
  return userId
}

export const PROFILE_FIELDS = 'user_id,username,name,profile_picture_url'

export const PROFILE = object({ user_id: TEXT, username: TEXT })

/** `user_id` is the id of the professional account; `id` belongs to the app, and cannot be used in paths. */
export function profileOf(user: unknown): Profile {
  const id = idAt(user, 'user_id')
  const username = textAt(user, 'username')
  if (id === undefined || !username) throw unexpected('graph.instagram.com', false)
  const avatarUrl = textAt(user, 'profile_picture_url')
  return { externalId: id, username, displayName: textAt(user, 'name') || null, ...avatarOf(avatarUrl) }
}
