import type { Io, Profile } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { object, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { textAt } from '../wire/json.ts'
import { clientOfToken, limitKeyOf } from './client.ts'

/** https://www.reddit.com/dev/api#GET_api_v1_me. The name of a user never changes. */
export async function readProfile(io: Io): Promise<Profile> {
  const client = clientOfToken(io)
  const { body } = await client.call('/api/v1/me', { answer: object({ id: TEXT, name: TEXT }) })
  const externalId = textAt(body, 'id')
  const username = textAt(body, 'name')
  if (!externalId || !username) throw unexpected(client.host, false)
  const { clientId } = io.credentials
  return {
    externalId,
    username,
    displayName: textAt(body, 'subreddit', 'title') || null,
    // As HTML.
    ...avatarOf(textAt(body, 'icon_img')?.replaceAll('&amp;', '&')),
    ...(clientId && { limitKey: limitKeyOf(clientId) }),
  }
}
