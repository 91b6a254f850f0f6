import type { Issue } from './error.ts'

/*
 * Messages of errors that a use case throws and its operation lists among its responses.
 */

export const POST_NOT_FOUND = 'Post not found'
export const POST_PUBLISHED = 'Cannot delete published post'
export const POST_BUSY = 'Cannot delete post while it is being published'
export const PUBLISHED_ALREADY = 'Post is published already: retry single deliveries'
export const CREATE_FAILED = 'Failed to create post'

export const DELIVERY_NOT_FOUND = 'Delivery not found'
export const NOT_RETRIED = {
  draft: 'Post is a draft: publish it',
  notDue: 'Delivery is not due yet: publish its post',
  publishing: 'Delivery is being sent',
  published: 'Delivery is published',
  mediaDeleted: 'A file of the post was deleted',
  unconfirmed: 'Delivery may be out, and its network cannot be asked: look there, and resolve it',
}
export const NOT_UNCONFIRMED = 'Delivery is not unconfirmed'

export const ACCOUNT_NOT_FOUND = 'Account not found'
export const NOT_THE_OWNER = 'Only the owner of an account can disconnect it'

export const MEDIA_NOT_FOUND = 'Media not found'
export const MEDIA_IN_USE = 'Cannot delete media that is still to be published'
export const NO_CONTENT = 'Media has no content: only its facts were registered'
export const NOT_THAT_FILE = 'Precondition failed: the file does not match.'
export const NO_SUCH_RANGE = 'Range is outside the file'
export const NOT_PUBLIC = 'url does not lead to a public address on the internet'
export const UNSUPPORTED = 'file is not of a type that is supported: JPEG, PNG, GIF, WebP, AVIF, MP4, MOV and WebM are'
export const fileTooLargeMessage = (bytesMax: number) => `File is larger than ${bytesMax} bytes`
export const MISSING_FILE: Issue = {
  code: 'invalid_type',
  expected: 'file',
  received: 'undefined',
  path: ['file'],
  message: 'Required',
}
