import type { Io, Profile } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { idAt, isToken, type MetaApi, metaApi } from '../families/meta/api.ts'
import { object, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { textAt } from '../wire/json.ts'

const HOST = 'https://graph.threads.net'

/** The only version: https://developers.facebook.com/docs/threads/changelog (to 2026-04-21) */
export const BASE = `${HOST}/v1.0`

export function clientOf({ credentials: { accessToken = '' } }: Pick<Io, 'credentials'>): MetaApi {
  if (!isToken(accessToken)) throw unauthorized('accessToken has to be a token of Threads: connect the account again')
  return metaApi(BASE, accessToken)
}

export const PROFILE_FIELDS = 'id,username,name,threads_profile_picture_url'

export const PROFILE = object({ id: TEXT, username: TEXT })

/** The id is a text here. The `user_id` of a token response is a number that may be above 2^53. */
export function profileOf(user: unknown): Profile {
  const id = idAt(user, 'id')
  const username = textAt(user, 'username')
  if (id === undefined || !username) throw unexpected('graph.threads.net', false)
  const avatarUrl = textAt(user, 'threads_profile_picture_url')
  return { externalId: id, username, displayName: textAt(user, 'name') || null, ...avatarOf(avatarUrl) }
}
