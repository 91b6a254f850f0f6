import type { Act } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import { at } from '../wire/json.ts'
import { mastodonContent } from './content.ts'
import type { ServerFacts } from './facts.ts'
import { softwareOf } from './software.ts'

/** The parameters of https://docs.joinmastodon.org/methods/statuses/#create. */
export function statusOf(act: Act, mediaIds: string[]): object {
  const { kind, fields, parent } = act
  const { visibility, poll } = fields
  const { isReaction, name } = softwareOf(act.facts)
  const { status, ...text } = textOf(act)
  if (parent && isReaction?.(status)) throw impossible(`${name} makes a reaction of a single emoji: add a word`)
  return {
    // Always sent: its default comes from the account's settings, which may differ from the catalogue's
    // (https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb).
    visibility: visibility ?? 'public',
    ...text,
    // Sharkey refuses an empty text, and takes none.
    ...((status !== '' || act.media.length === 0) && { status }),
    ...(mediaIds.length > 0 && { media_ids: mediaIds }),
    ...(parent && { in_reply_to_id: parent.id }),
    // Only the first part of a thread carries the poll.
    ...(poll !== undefined && kind === 'post' && !parent && { poll: pollOf(poll) }),
  }
}

/** The parameters that an edit has too. */
export function textOf(act: Act): { status: string; [parameter: string]: unknown } {
  const { sensitive, spoilerText, language, contentType, quoteApprovalPolicy } = act.fields
  return {
    status: mastodonContent(act).text,
    // Always sent, as `visibility`.
    sensitive: sensitive ?? false,
    ...(spoilerText !== undefined && { spoiler_text: spoilerText }),
    ...(language !== undefined && { language }),
    ...(isListed(contentType, act) && { content_type: contentType }),
    ...(quoteApprovalPolicy !== undefined && { quote_approval_policy: quoteApprovalPolicy }),
  }
}

/** Whether the server of the account has stated that it takes the content type. */
const isListed = (contentType: unknown, { facts }: Act): boolean =>
  ((facts ?? {}) as ServerFacts).contentTypes?.includes(contentType as string) ?? false

function pollOf(poll: unknown): object {
  const options = at(poll, 'options')
  const expiresIn = at(poll, 'expiresIn')
  if (!Array.isArray(options) || typeof expiresIn !== 'number') {
    throw impossible('fields.poll has to have options, a list of texts, and expiresIn, a number of seconds')
  }
  return {
    options,
    expires_in: expiresIn,
    ...(at(poll, 'multiple') === true && { multiple: true }),
    ...(at(poll, 'hideTotals') === true && { hide_totals: true }),
  }
}
