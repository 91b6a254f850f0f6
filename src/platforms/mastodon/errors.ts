import type { ErrorRow } from '../wire/error-table.ts'

export const ERRORS: readonly ErrorRow[] = [
  {
    status: [401, 403],
    means: 'credentials refused',
    note: 'The token was revoked, or a scope is missing.',
    source: 'https://docs.joinmastodon.org/entities/Error/',
  },
  {
    status: 422,
    text: /^This method requires an authenticated user$/,
    means: 'credentials refused',
    note: 'The token is that of an app without a user.',
    source: 'https://docs.joinmastodon.org/methods/accounts/#verify_credentials',
  },
]
