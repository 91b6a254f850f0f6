import type { Io, Profile } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { object, optional, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { textAt } from '../wire/json.ts'
import { call, clientOfToken, HOST, isId, itemsOf, limitKeyOf, listOf } from './client.ts'
import { factsOf } from './facts.ts'

const CHANNELS = listOf({ id: TEXT, snippet: object({ title: TEXT, customUrl: optional(TEXT) }) })

/** The channel that the user chose when consenting: https://developers.google.com/youtube/v3/docs/channels/list */
export async function readProfile(io: Io): Promise<Profile> {
  const query = { part: 'snippet,status', mine: 'true' }
  const { body } = await call(clientOfToken(io), io, 'channels', { query, answer: CHANNELS })
  const [channel] = itemsOf(body)
  if (channel === undefined) {
    throw unauthorized('The Google account has no YouTube channel: create one, then connect the account again')
  }
  const id = textAt(channel, 'id')
  const title = textAt(channel, 'snippet', 'title')
  if (!isId(id) || title === undefined) throw unexpected(HOST, false)
  const limitKey = limitKeyOf(io.credentials.clientId)
  return {
    externalId: id,
    // The handle, such as @postroom. A channel without one is shown by its title.
    username: textAt(channel, 'snippet', 'customUrl') ?? (title || id),
    displayName: title || null,
    ...avatarOf(textAt(channel, 'snippet', 'thumbnails', 'medium', 'url')),
    ...(limitKey && { limitKey }),
    ...factsOf(channel),
  }
}
