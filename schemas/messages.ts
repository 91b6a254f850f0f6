import type { Issue } from './error.ts'
import type { Scope } from './scopes.ts'

/*
 * Messages of issues that a use case finds and that its operation lists as an example.
 */

export const LATER_EXPIRY = 'a later expiry'

export const scopeName = (scope: Scope) => `the scope ${scope}`

export const ALL_SCOPES = 'all scopes'

export const ALL_ACCOUNTS = 'access to all accounts'

export const accountName = (id: string) => `access to the account ${id}`

export const scopeWithAccounts = (scope: Scope) =>
  `A key that is limited to a list of accounts cannot have the scope ${scope}`

export const EXPIRED_FROM_THE_START: Issue = {
  code: 'custom',
  path: ['expiresAt'],
  message: 'Must be in the future: a key that has expired already can do nothing',
}

export const CURSOR_OF_ANOTHER_QUERY: Issue = {
  code: 'custom',
  path: ['cursor'],
  message: 'Cursor is for another query: send it with the same filters and order, or leave it out',
}

export const NO_FILTER: Issue = {
  code: 'custom',
  path: ['filters'],
  message: 'Must have at least one filter, so that not all posts are selected by mistake',
}

export const ONE_SELECTION: Issue = {
  code: 'custom',
  path: ['ids'],
  message: 'Either ids or filters is required, and not both',
}

export const OFFSET_WITH_FILTER: Issue = {
  code: 'custom',
  path: ['offset'],
  message: 'Must be 0 or absent together with a filter or an order: use the cursor',
}

export const NO_WORD = {
  code: 'custom' as const,
  path: ['q'],
  message: 'Has no letter, digit or emoji to search for',
}

export const NOTHING_TO_SEARCH: Issue = { code: 'custom', path: ['q'], message: 'Has nothing to search for' }

export const SERVER_REQUIRED = 'Must name the server of the account, such as mastodon.social or @ada@mastodon.social'

export const MISSING_FILE: Issue = {
  code: 'invalid_type',
  expected: 'file',
  received: 'undefined',
  path: ['file'],
  message: 'Required',
}

export const OTHER_EVENTS_CURSOR = {
  code: 'custom' as const,
  path: ['after'],
  message: 'Not a cursor of your events. After the database was restored, begin again with `from`',
}

export const FROM_OR_EVENTS = 'Send either eventIds or from'

export const NOT_WITH_ALL_USERS = 'Cannot be combined with `allUsers`: these are accounts of one user'
export const NEEDS_FROM = 'Only together with from'

export const INVALID_URL = 'Invalid url: begin with https:// and a host, such as https://app.example.com/hook'

export const urlElsewhere = (network: string, form: string) =>
  `This is not the address of a post on ${network}, such as ${form}`

export const urlOfAnotherAccount = (owner: string, own: string) =>
  `This is the address of a post of ${JSON.stringify(owner)}, and the delivery is to ${JSON.stringify(own)}`

export const HTTPS_REQUIRED =
  'Must be an https address. The operator of the service can allow http: WEBHOOKS_ALLOW_HTTP'

export const WEB_ADDRESS_REQUIRED = 'Must be an https or http address'

export const NO_URL_CREDENTIALS = 'Must not contain a user name or password'
