import type { Act } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import { at } from '../wire/json.ts'
import { xContent } from './content.ts'

/** The body of `POST /2/tweets`, by the schema CreatePostsRequest of https://docs.x.com/openapi.json. */
export function postOf(act: Act, mediaIds: readonly string[]): object {
  const { kind, fields, parent } = act
  const { madeWithAi, paidPartnership, forSuperFollowersOnly } = fields
  return {
    // Sent even if it is empty: the schema demands it.
    text: xContent(act).text,
    ...(parent ? { reply: { in_reply_to_tweet_id: parent.id } } : firstOf(fields)),
    ...(mediaIds.length > 0 && { media: mediaOf(fields, mediaIds) }),
    ...(kind === 'post' && madeWithAi !== undefined && { made_with_ai: madeWithAi }),
    ...(kind === 'post' && paidPartnership !== undefined && { paid_partnership: paidPartnership }),
    // Sent with every part: the others would be public.
    ...(forSuperFollowersOnly !== undefined && { for_super_followers_only: forSuperFollowersOnly }),
  }
}

/** Options of a post that is not a reply. The parts of a thread belong to the conversation of the first post. */
function firstOf({ replySettings, poll, quotePostId, placeId }: Act['fields']) {
  return {
    // Everyone is the default, which the schema has no value for.
    ...(replySettings !== undefined && replySettings !== 'everyone' && { reply_settings: replySettings }),
    ...(poll !== undefined && { poll: pollOf(poll) }),
    ...(quotePostId !== undefined && { quote_tweet_id: quotePostId }),
    ...(placeId !== undefined && { geo: { place_id: placeId } }),
  }
}

const mediaOf = ({ taggedUserIds }: Act['fields'], mediaIds: readonly string[]) => ({
  media_ids: mediaIds,
  ...(taggedUserIds !== undefined && { tagged_user_ids: taggedUserIds }),
})

function pollOf(poll: unknown): object {
  const options = at(poll, 'options')
  const durationMinutes = at(poll, 'durationMinutes')
  if (!Array.isArray(options) || typeof durationMinutes !== 'number') {
    throw impossible('fields.poll has to have options, a list of texts, and durationMinutes, a number')
  }
  return { options, duration_minutes: durationMinutes }
}
