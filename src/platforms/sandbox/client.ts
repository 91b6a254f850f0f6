import { SANDBOX_USERNAME } from '../../../schemas/text-forms.ts'
import type { Io } from '../contract/io.ts'
import { unauthorized } from '../contract/publish-error.ts'
import type { NetworkRules } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { ERRORS } from './errors.ts'

// Never resolves: https://www.rfc-editor.org/rfc/rfc6761#section-6.4
export const HOST = 'sandbox.invalid'

export function clientFor({
  credentials: { username = '', token },
}: Pick<Io, 'credentials'>): NetworkRules & { username: string } {
  if (!new RegExp(SANDBOX_USERNAME).test(username)) {
    throw unauthorized('username has to consist of 1 to 64 letters, digits, underscores, full stops and hyphens')
  }
  if (token === 'expired') throw unauthorized(`${HOST}: the token has expired`)
  return {
    username,
    host: HOST,
    secrets: [],
    words: (body) => textAt(body, 'error'),
    errors: ERRORS,
  }
}
