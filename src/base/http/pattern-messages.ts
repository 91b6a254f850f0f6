import { TAG_FORM } from '../../../schemas/account.ts'
import { APP_WORD } from '../../../schemas/app.ts'
import { BAD_SHIFT, SHIFT } from '../../../schemas/change-posts.ts'
import { DELIVERIES_CURSOR, ERROR_CODE_FORM, POSTS_CURSOR } from '../../../schemas/find.ts'
import { BAD_KEY, KEY_FORM } from '../../../schemas/idempotency.ts'
import { EVENTS_CURSOR } from '../../../schemas/list-events.ts'
import { PAD_COLOR } from '../../../schemas/media.ts'
import { INVALID_URL } from '../../../schemas/messages.ts'
import { COMMENT_PAUSE, COMMENT_PAUSE_DAYS_MAX } from '../../../schemas/post-comment.ts'
import { UTM_VALUE } from '../../../schemas/post-links.ts'
import { BAD_IF_MATCH, IF_MATCH_FORM } from '../../../schemas/precondition.ts'
import { SKIPPED_DATE, SLOT_TIME } from '../../../schemas/schedule.ts'
import { ID_CURSOR, NOT_BLANK, UUID_PATTERN } from '../../../schemas/shared.ts'
import {
  DISCORD_WEBHOOK,
  MASTODON_TOKEN,
  SANDBOX_USERNAME,
  TELEGRAM_CHAT,
  TELEGRAM_TOKEN,
  WEB_ADDRESS,
} from '../../../schemas/text-forms.ts'
import { ZONE_NAME } from '../../../schemas/time.ts'
import { SHA256_HEX } from '../../../schemas/upload.ts'
import { REDELIVERY_CURSOR } from '../../../schemas/webhook-delivery.ts'
import { HEADER_VALUE } from '../../../schemas/webhook-headers.ts'

const NEXT_CURSOR = 'Must be the nextCursor of an earlier response'

/** For each pattern of the schemas, the message about a text that does not match it. */
export const PATTERN_MESSAGES: Record<string, string> = {
  [NOT_BLANK]: 'Must have a character that is not white space',
  [UUID_PATTERN]: 'Must be an id, such as 01982d8f-4a6b-7c31-9e5d-2f8a1b3c4d5e',
  [ID_CURSOR]: NEXT_CURSOR,
  [POSTS_CURSOR]: NEXT_CURSOR,
  [DELIVERIES_CURSOR]: NEXT_CURSOR,
  [REDELIVERY_CURSOR]: NEXT_CURSOR,
  [SLOT_TIME]: 'Must be a time of day from 00:00 to 23:59, such as 09:30',
  [SKIPPED_DATE]: 'Must be a date such as 2027-01-31',
  [TAG_FORM]: 'Must be a text without line breaks, and without white space at its ends',
  [PAD_COLOR]: 'Must be a colour such as #1a2b3c',
  [COMMENT_PAUSE]: `Must be a duration of at most ${COMMENT_PAUSE_DAYS_MAX} days, such as PT5M`,
  [SHIFT]: BAD_SHIFT.message,
  [UTM_VALUE]: 'Must be a text without braces, except for {platform}',
  [SHA256_HEX]: 'Must be the 64 hexadecimal digits of a SHA-256',
  [ZONE_NAME]: 'Must be the name of a time zone, such as Europe/Berlin',
  [EVENTS_CURSOR]: "Must be the nextCursor of an earlier response, or 'now'",
  [ERROR_CODE_FORM]: "Must be the code of an error, such as 'unauthorized'",
  [APP_WORD]: 'Must be 1 to 512 visible ASCII characters',
  [KEY_FORM]: BAD_KEY.message,
  [IF_MATCH_FORM]: BAD_IF_MATCH.message,
  [WEB_ADDRESS]: INVALID_URL,
  [HEADER_VALUE]: 'Must be visible ASCII characters, with spaces between them at most',
  [DISCORD_WEBHOOK]: 'Must have the form https://discord.com/api/webhooks/ID/TOKEN',
  [SANDBOX_USERNAME]: 'Must be 1 to 64 letters, digits, underscores, full stops and hyphens',
  [TELEGRAM_TOKEN]: 'Must be the token of a bot, such as 123456:ABC-DEF1234',
  [TELEGRAM_CHAT]: 'Must be the @name or the number of a chat',
  [MASTODON_TOKEN]: 'Must be an access token of the instance: letters, digits and _-.~+/=',
}
