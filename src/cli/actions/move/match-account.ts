import { OperatorError } from '../../../base/errors.ts'
import type { Account } from '../../../clients/sdk/index.ts'
import { findAccount } from '../send/send-once.ts'
import type { SourceAccount } from './source-post.ts'

/** Finds the account with the handle or the display name. `given` names accounts, by the names of the service. */
export function matchAccount(accounts: Account[], source: SourceAccount, given: Map<string, string>): Account {
  const names = source.names.map((name) => `${source.platform ?? source.network}/${name}`)
  const chosen = names.map((name) => given.get(name)).find((name) => name !== undefined)
  if (chosen !== undefined) {
    const id = findAccount(accounts, chosen)
    const account = accounts.find((account) => account.id === id)
    if (account) return account
    throw new OperatorError(`--account: the key may use no account ${chosen}`)
  }
  if (source.platform === undefined) throw new OperatorError(`${source.network} is no network of Postroom`)
  const found = accounts.filter(({ platform, username, displayName }) => {
    // Other services store `ada` where an account of Mastodon is `ada@mastodon.social`.
    const known = [username, username.replace(/(?<=.)@.*/, ''), displayName ?? ''].map(normalize)
    return platform === source.platform && source.names.some((name) => known.includes(normalize(name)))
  })
  if (found.length === 1) return found[0]!
  throw new OperatorError(
    `${found.length === 0 ? 'no account here is called' : `${found.length} accounts here are called`} ${names.join(' or ')}: connect it, or add --account "${names[0]}=ID" with the id of an account`,
  )
}

const normalize = (name: string) => name.trim().replace(/^@/, '').toLowerCase()
