import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import { textAt } from '../wire/json.ts'

const XRPC = 'https://atproto.com/specs/xrpc#error-responses'
const PDS = 'https://github.com/bluesky-social/atproto/blob/main/packages/pds/src/auth-verifier.ts'
const VIDEO = 'https://github.com/bluesky-social/social-app/pull/5153'

/** Every error of XRPC has a name. */
export const ERRORS: readonly ErrorRow[] = [
  {
    // RFC 9449, 8 and 9. The call is made again with the nonce.
    code: 'use_dpop_nonce',
    means: 'content refused',
    note: 'The proof of the call needs another nonce. The call is made again.',
    source: 'https://atproto.com/specs/oauth#demonstrating-proof-of-possession-dpop',
  },
  {
    code: 'unconfirmed_email',
    means: 'content refused',
    note: 'The video service takes videos only of accounts with a confirmed e-mail address. Other posts are published.',
    source: 'https://github.com/bluesky-social/atproto/issues/3097',
  },
  {
    code: ['profile_not_found', 'uploads_forbidden'],
    means: 'content refused',
    note: 'The video service takes no videos of this account. Other posts are published.',
    source: `${VIDEO}; https://github.com/bluesky-social/atproto/issues/4778`,
  },
  {
    code: 'uploads_disabled',
    means: 'tried later',
    note: 'The video service takes no videos at the moment.',
    source: VIDEO,
  },
  {
    code: ['AccountTakedown', 'AccountSuspended', 'AccountDeactivated'],
    means: 'account restricted',
    note: 'Moderators have taken the account down or suspended it, or its owner has deactivated it.',
    source: PDS,
  },
  {
    // The status is 400.
    code: ['ExpiredToken', 'InvalidToken'],
    means: 'credentials refused',
    note: 'The session has expired or was revoked.',
    source: PDS,
  },
  {
    status: [401, 403],
    means: 'credentials refused',
    note: 'The password or the token is refused, or a permission is missing.',
    source: XRPC,
  },
]

export const keysOf = ({ body }: { body: unknown }): ErrorKeys => ({ code: textAt(body, 'error') })
