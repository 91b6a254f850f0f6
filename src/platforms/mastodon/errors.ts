import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import type { Refusal } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'

const MASTODON = 'https://github.com/mastodon/mastodon/tree/main/app/controllers/concerns/api'
const PIXELFED = 'https://github.com/pixelfed/pixelfed/blob/dev/app/Http/Controllers/Api/ApiV1Controller.php'

/** Other refusals with 403 are about the post: of an empty status, a full storage, a blocked conversation. */
export const ERRORS: readonly ErrorRow[] = [
  {
    status: 401,
    means: 'credentials refused',
    note: 'The token was revoked.',
    source: 'https://docs.joinmastodon.org/entities/Error/',
  },
  {
    code: 'insufficient_scope',
    means: 'credentials refused',
    note: 'The token lacks a scope.',
    source: 'https://www.rfc-editor.org/rfc/rfc6750#section-3.1',
  },
  {
    status: 403,
    text: /outside the authorized scopes|insufficient scope|insufficient permissions/i,
    means: 'credentials refused',
    note: 'The token lacks a scope, in the words of Mastodon, GoToSocial and Pleroma.',
    source: 'https://docs.joinmastodon.org/api/oauth-scopes/',
  },
  {
    status: 403,
    text: /^Your login is/,
    means: 'account restricted',
    note: 'The login is disabled, not confirmed or not approved yet.',
    source: MASTODON,
  },
  {
    status: 403,
    text: /^$/,
    means: 'credentials refused',
    note: 'Pixelfed: the token lacks a scope.',
    source: PIXELFED,
  },
  {
    status: 500,
    text: /^Unauthenticated\.$/,
    means: 'credentials refused',
    note: 'Pixelfed: the token was revoked.',
    source: 'https://github.com/pixelfed/pixelfed/issues/5613',
  },
  {
    status: 500,
    subcode: 'validation',
    means: 'content refused',
    note: 'Pixelfed: a parameter is not valid.',
    source: 'https://github.com/pixelfed/pixelfed/blob/dev/app/Exceptions/Handler.php',
  },
  {
    status: 422,
    text: /^This method requires an authenticated user$/,
    means: 'credentials refused',
    note: 'The token is that of an app without a user.',
    source: 'https://docs.joinmastodon.org/methods/accounts/#verify_credentials',
  },
]

/**
 * The words of an error: https://docs.joinmastodon.org/entities/Error/. Pleroma has `errors.detail`
 * (lib/pleroma/web/views/error_view.ex). Laravel has a message beside the errors of each parameter
 * (https://laravel.com/docs/validation#validation-error-response-format); alone, a message may be that of a proxy.
 */
export function words(body: unknown): string | undefined {
  return (
    textAt(body, 'error_description') ??
    textAt(body, 'error') ??
    textAt(body, 'errors', 'detail') ??
    (isValidation(body) ? textAt(body, 'message') : undefined)
  )
}

/** Laravel names each parameter that it refuses. */
function isValidation(body: unknown): boolean {
  const errors = at(body, 'errors')
  return typeof errors === 'object' && errors !== null && at(errors, 'detail') === undefined
}

/** The code is that of RFC 6750, 3.1, which Doorkeeper sends in every language. */
export const keysOf = ({ body, headers }: Refusal): ErrorKeys => ({
  code: /error="?(\w+)/.exec(headers.get('www-authenticate') ?? '')?.[1],
  subcode: isValidation(body) ? 'validation' : undefined,
  text: words(body),
})
