import type { Io, Profile } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { object, optional, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { at, textAt } from '../wire/json.ts'
import { clientOfToken, ID, limitKeyOf } from './client.ts'
import { factsOf } from './facts.ts'

/** The text limit of subscribers: https://help.x.com/en/using-x/x-premium */
const SUBSCRIBER_TEXT_LENGTH_MAX = 25_000

/** https://docs.x.com/x-api/users/get-my-user */
export async function readProfile(io: Io): Promise<Profile> {
  const client = clientOfToken(io)
  const { body } = await client.call('/2/users/me?user.fields=subscription_type,verified_type,profile_image_url', {
    answer: object({
      data: object({ id: TEXT, username: TEXT, subscription_type: optional(TEXT), verified_type: optional(TEXT) }),
    }),
  })
  const externalId = textAt(body, 'data', 'id') ?? ''
  const username = textAt(body, 'data', 'username')
  if (!ID.test(externalId) || !username) throw unexpected(client.host, false)
  const subscription = textAt(body, 'data', 'subscription_type') ?? 'None'
  const { clientId } = io.credentials
  return {
    externalId,
    username,
    displayName: textAt(body, 'data', 'name') || null,
    // The ending names a size of 48 pixels; without it, the address is that of the original.
    // https://docs.x.com/x-api/fundamentals/data-dictionary#user
    ...avatarOf(textAt(body, 'data', 'profile_image_url')?.replace(/_normal(?=\.\w+$)/, '')),
    facts: factsOf(at(body, 'data')),
    textLengthMax: subscription === 'None' ? null : SUBSCRIBER_TEXT_LENGTH_MAX,
    ...(clientId && { limitKey: limitKeyOf(clientId) }),
  }
}
