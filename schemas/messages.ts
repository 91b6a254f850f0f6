import type { Issue } from './error.ts'
import type { Scope } from './scopes.ts'

/*
 * Messages of errors that a use case throws and that its operation lists as an example.
 */

export const lacksScope = (scope: Scope) => `This API key lacks the scope ${scope}`

export const LIMITED_TO_ACCOUNTS = 'This API key is limited to a list of accounts, and this operation is not'

export const FILTERS_WITH_ACCOUNTS = 'This API key is limited to a list of accounts, and cannot use filters'

export const tooManyRequests = (seconds: number) => `Too many requests, try again in ${seconds} s`
export const tooManyFailedKeys = (seconds: number) => `Too many invalid API keys, try again in ${seconds} s`

export const USER_NOT_FOUND = 'User not found'
export const OWN_USER = 'The key of the request acts for this user: use a key of another user'
export const ORGANIZATION_NOT_FOUND = 'Organisation not found'
export const ORGANIZATION_IN_USE = 'Connected accounts belong to this organisation: disconnect them first'
export const MEMBER_NOT_FOUND = 'Member not found'

export const API_KEY_NOT_FOUND = 'API key not found'
export const cannotGive = (what: string) => `A key cannot give another key what it lacks: ${what}`
export const cannotWiden = (what: string) => `A key can only be narrowed. It does not have: ${what}`
export const cannotChange = (what: string) => `A key cannot change or revoke a key with more rights. It lacks ${what}`
export const ADMIN_NOT_GIVEN = 'Only the operator creates keys with the scope admin'
export const LATER_EXPIRY = 'a later expiry'
export const scopeName = (scope: Scope) => `the scope ${scope}`
export const ALL_SCOPES = 'all scopes'
export const ALL_ACCOUNTS = 'access to all accounts'
export const accountName = (id: string) => `access to the account ${id}`
export const scopeWithAccounts = (scope: Scope) =>
  `A key that is limited to a list of accounts cannot have the scope ${scope}`
export const KEY_ROTATED = 'Another key replaces this one already'
export const KEY_EXPIRED = 'An expired key cannot be rotated: create another one'

export const ORIGIN_NOT_ALLOWED = 'Origin not allowed: the operator lists allowed origins in CORS_ORIGINS'
export const METHOD_NOT_ALLOWED = 'Method not allowed: send each message as POST'
export const POST_NOT_FOUND = 'Post not found'
export const POST_PUBLISHED = 'Cannot delete published post'
export const POST_BUSY = 'Cannot delete post while it is being published'
export const POST_EDITED_PUBLISHED = 'Cannot edit published post'
export const POST_EDITED_BUSY = 'Cannot edit post while it is being published'
export const POST_TOO_LARGE = 'Post would be larger than 1 MiB'
export const POST_CHANGED = 'Precondition failed: the post has changed. The header ETag has its present version.'
export const PUBLISHED_ALREADY = 'Post is already published: retry single deliveries instead'
export const ALL_CANCELLED = 'All deliveries of the post are cancelled: retry those that you want to send'
export const CREATE_FAILED = 'Failed to create post'
export const HAS_WARNINGS = 'The post has warnings, which strict=true does not allow'

export const CURSOR_OF_ANOTHER_QUERY: Issue = {
  code: 'custom',
  path: ['cursor'],
  message: 'Cursor is for another query: send it with the same filters and order, or leave it out',
}
export const OFFSET_WITH_FILTER: Issue = {
  code: 'custom',
  path: ['offset'],
  message: 'Must be 0 or absent together with a filter or an order: use the cursor',
}

export const DELIVERY_NOT_FOUND = 'Delivery not found'
/** Each with its code. */
export const NOT_RETRIED = {
  draft: ['post_is_draft', 'Post is a draft: publish it instead'],
  notDue: ['delivery_not_due', 'Delivery is not due yet: publish the post to send it now'],
  publishing: ['delivery_in_progress', 'Delivery is being sent'],
  published: ['delivery_published', 'Delivery is published'],
  mediaDeleted: ['media_deleted', 'A file of the post was deleted'],
  unconfirmed: ['delivery_unconfirmed', 'The post may have been published. Check the network, then call resolve.'],
} as const
export const RETRY_CANCELLED = ['delivery_cancelled', 'Its owner cancelled the delivery'] as const
export const DELIVERY_OPEN = 'The content may have been published and cannot change: retry it without changes'
export const NOT_CANCELLED = {
  publishing: NOT_RETRIED.publishing,
  notQueued: ['delivery_not_queued', 'Delivery is not queued: nothing of it is going to be sent'],
} as const
export const NOT_MARKED = {
  draft: ['post_is_draft', 'Post is a draft: schedule it first'],
  publishing: NOT_RETRIED.publishing,
  published: NOT_RETRIED.published,
} as const
export const NOT_UNCONFIRMED = 'Delivery is not unconfirmed'

export const ACCOUNT_NOT_FOUND = 'Account not found'
export const NO_CREDENTIALS = 'The account has no credentials: connect it'
export const fieldWithoutOptions = (platform: string, field: string, others: readonly string[]) =>
  others.length === 0
    ? `${platform} lists no values for any field`
    : `${platform} lists no values for ${JSON.stringify(field)}. It lists values for: ${others.join(', ')}`
export const PLATFORM_NOT_FOUND = 'Platform not found'
export const NOT_THE_OWNER = 'Only the owner of an account, or an admin of its organisation, can disconnect it'

export const NOT_AN_ADMIN_TO_LIST = 'Only admins of an organisation can list its posts and files'

export const APP_NOT_FOUND = 'No app is stored for this network'
export const APP_IN_USE = 'Accounts were connected with this app and need it'
export const NOT_AN_ADMIN = 'Only admins of an organisation can change its apps'
export const NOT_AN_ADMIN_TO_CONNECT = 'Only admins of an organisation can connect accounts for it'
export const NOT_THE_OWNER_TO_CONNECT =
  'Only the owner of an account, or an admin of its organisation, can connect it again'
export const CONNECTION_NOT_FOUND = 'Connection not found'
export const CONNECTION_NOT_OPENED = 'The connection was not opened, or it has ended'
export const OTHER_CONNECTION = 'callbackUrl does not belong to this connection'
export const CONNECTION_NOT_CHOOSING = 'The connection does not wait for a choice'
export const OWNED_ELSEWHERE = 'Another user of your organisation has connected this account'
export const SERVER_REQUIRED = 'Must name the server of the account, such as mastodon.social or @ada@mastodon.social'
export const RETURN_URL_NOT_ALLOWED = 'returnUrl does not begin with a URL that the operator lists in RETURN_URLS'

export const MEDIA_NOT_FOUND = 'Media not found'
export const MEDIA_IN_USE = 'Cannot delete media that is still to be published'
/** One transaction changes them, within the time limit of a statement. */
export const ALT_TEXT_DELIVERIES_MAX = 2000
export const MEDIA_IN_TOO_MANY_POSTS = `More than ${ALT_TEXT_DELIVERIES_MAX} deliveries, or drafts, may still publish this file: wait until they are published, or take the file out of some of these posts`
export const MEDIA_USED_ELSEWHERE = 'Posts outside of your organisations use this file: only its owner can change it'
export const MEDIA_USED_BY_OTHER_ACCOUNTS =
  'Posts to accounts that the API key does not list are going to publish this file: use a key that lists them'
export const NO_CONTENT = 'Media has no content: it was registered without a file'
export const NOT_THAT_FILE = 'Precondition failed: the file does not match.'
export const NO_SUCH_RANGE = 'Range is outside the file'
export const NOT_PUBLIC =
  'url does not lead to a public address on the internet. The operator of the service can allow private hosts: OUTBOUND_ALLOW'
export const UNSUPPORTED = 'file type is not supported: use JPEG, PNG, GIF, WebP, AVIF, MP4, MOV or WebM'
/** The common formats of phones. */
export const HEIC_UNSUPPORTED = `${UNSUPPORTED}. This file is HEIC: convert it to JPEG.`
export const THREE_GP_UNSUPPORTED = `${UNSUPPORTED}. This file is 3GP: convert it to MP4.`
export const fileTooLargeMessage = (bytesMax: number) => `File is larger than ${bytesMax} bytes`
export interface MediaQuotaFacts {
  newBytes: number
  usedBytes: number
  quotaBytes: number
}
export const quotaMessage = ({ newBytes, usedBytes, quotaBytes }: MediaQuotaFacts) =>
  `File has ${newBytes} bytes, but your files use ${usedBytes} of ${quotaBytes} bytes: delete files that you no longer need`
export const MISSING_FILE: Issue = {
  code: 'invalid_type',
  expected: 'file',
  received: 'undefined',
  path: ['file'],
  message: 'Required',
}

export const EVENT_NOT_FOUND = 'Event not found'
/** The files that a user may add to one process at a time. */
export const UPLOADS_MAX = 100
export const TOO_MANY_UPLOADS = `You are adding ${UPLOADS_MAX} files already: retry when some of them are stored`
export const TOO_MANY_WAIT = 'Too many requests wait for events: retry, or read without `wait`'
export const OTHER_EVENTS_CURSOR = {
  code: 'custom' as const,
  path: ['after'],
  message: 'Not a cursor of your events. After the database was restored, begin again with `from`',
}
export const WEBHOOK_NOT_FOUND = 'Webhook not found'
export const tooManyWebhooks = (max: number) => `You have ${max} webhooks, and cannot have more: delete one first`
export const cannotReceive = (what: string) => `This API key cannot read what the webhook would get: ${what}`
export const WEBHOOK_DISABLED = 'The webhook is disabled: enable it first, with PATCH and {"state":"active"}'
export const SECRET_ROTATED =
  'Two secrets are valid already: wait until the previous one expires, delete it, or send force'
export const NO_PREVIOUS_SECRET = 'The webhook has no previous secret'
export const eventNotSent = (id: string) => `The webhook gets no event with this id: ${id}`
export const FROM_OR_EVENTS = 'Send either eventIds or from'
export const NEEDS_FROM = 'Only together with from'
export const HTTPS_REQUIRED =
  'Must be an https address. The operator of the service can allow http: WEBHOOKS_ALLOW_HTTP'
export const WEB_ADDRESS_REQUIRED = 'Must be an https or http address'
export const NO_URL_CREDENTIALS = 'Must not contain a user name or password'
