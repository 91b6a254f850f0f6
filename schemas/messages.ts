import type { Issue } from './error.ts'

/*
 * Messages of errors that a use case throws and that its operation lists as an example.
 */

export const POST_NOT_FOUND = 'Post not found'
export const POST_PUBLISHED = 'Cannot delete published post'
export const POST_BUSY = 'Cannot delete post while it is being published'
export const PUBLISHED_ALREADY = 'Post is already published: retry single deliveries instead'
export const CREATE_FAILED = 'Failed to create post'

export const DELIVERY_NOT_FOUND = 'Delivery not found'
export const NOT_RETRIED = {
  draft: 'Post is a draft: publish it instead',
  notDue: 'Delivery is not due yet: publish the post to send it now',
  publishing: 'Delivery is being sent',
  published: 'Delivery is published',
  mediaDeleted: 'A file of the post was deleted',
  unconfirmed: 'The post may have been published. Check the network, then call resolve.',
}
export const NOT_UNCONFIRMED = 'Delivery is not unconfirmed'

export const ACCOUNT_NOT_FOUND = 'Account not found'
export const NOT_THE_OWNER = 'Only the owner of an account can disconnect it'

export const APP_NOT_FOUND = 'No app is stored for this network'
export const APP_IN_USE = 'Accounts were connected with this app and need it'
export const NOT_AN_ADMIN = 'Only admins of an organisation can change its apps'
export const NOT_THE_OWNER_TO_CONNECT = 'Only the owner of an account can connect it again'
export const CONNECTION_NOT_FOUND = 'Connection not found'
export const CONNECTION_NOT_OPENED = 'The connection was not opened, or it has ended'
export const OTHER_CONNECTION = 'callbackUrl does not belong to this connection'
export const CONNECTION_NOT_CHOOSING = 'The connection does not wait for a choice'
export const OWNED_ELSEWHERE = 'Another user of your organisation has connected this account'
export const SERVER_REQUIRED = 'Must name the server of the account, such as mastodon.social or @ada@mastodon.social'
export const RETURN_URL_NOT_ALLOWED = 'returnUrl does not begin with a URL that the operator lists in RETURN_URLS'

export const MEDIA_NOT_FOUND = 'Media not found'
export const MEDIA_IN_USE = 'Cannot delete media that is still to be published'
export const NO_CONTENT = 'Media has no content: it was registered without a file'
export const NOT_THAT_FILE = 'Precondition failed: the file does not match.'
export const NO_SUCH_RANGE = 'Range is outside the file'
export const NOT_PUBLIC = 'url does not lead to a public address on the internet'
export const UNSUPPORTED = 'file type is not supported: use JPEG, PNG, GIF, WebP, AVIF, MP4, MOV or WebM'
export const fileTooLargeMessage = (bytesMax: number) => `File is larger than ${bytesMax} bytes`
export const MISSING_FILE: Issue = {
  code: 'invalid_type',
  expected: 'file',
  received: 'undefined',
  path: ['file'],
  message: 'Required',
}
