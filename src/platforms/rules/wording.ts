import type { AccountServer } from '../../../schemas/account-facts.ts'
import type { Platform } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import type { LoadedTarget } from './context.ts'

export interface NamedAccount {
  id: string
  platform: string
  username: string
}

/**
 * Names an account of a post in messages. Two with the same name, which may have different owners, are told apart by
 * their ids.
 */
export function createAccountNames(targets: readonly { account: NamedAccount }[]): (account: NamedAccount) => string {
  const nameOf = ({ platform, username }: NamedAccount) => `${platform} (@${username})`
  // Most posts have no message.
  let ids: Map<string, string> | undefined
  return (account) => {
    ids ??= findIds(targets, nameOf)
    const name = nameOf(account)
    return ids.get(name) === account.id ? name : `${account.platform} (@${account.username}, ${account.id})`
  }
}

/** The id of the account with each name; an empty text for a name that several have. */
function findIds(
  targets: readonly { account: NamedAccount }[],
  nameOf: (account: NamedAccount) => string,
): Map<string, string> {
  const ids = new Map<string, string>()
  for (const { account } of targets) {
    const other = ids.get(nameOf(account))
    ids.set(nameOf(account), other === undefined || other === account.id ? account.id : '')
  }
  return ids
}

/** A field of a target as messages name it. */
export const nameField = (key: string, { defaultKeys }: Pick<LoadedTarget, 'defaultKeys'>): string =>
  defaultKeys?.has(key) ? `field ${key}, a default of the account,` : `field ${key}`

/** Whether the account's own server has stated a limit with this source. */
export const isStated = (source: Source | null, server: NonNullable<Platform['server']>) =>
  source === null || source === server.source

/** Follows the message of a limit that the account's own server has stated: "at most 6 are allowed on …". */
export const nameServer = ({ host, software }: AccountServer) => ` on ${host} (${software})`

/** The end of a violation's message: "at most 4 are allowed". */
export const atMost = (limit: number) => `at most ${formatNumber(limit)} ${limit <= 1 ? 'is' : 'are'} allowed`

/** The end of a violation's message: "at least 1 is required". */
export const atLeast = (limit: number) => `at least ${formatNumber(limit)} ${limit <= 1 ? 'is' : 'are'} required`

/** A number with at most four decimals, as many as any limit has. */
export const formatNumber = (value: number) => String(Number(value.toFixed(4)))

/** "character 3", or "line 2, character 3" if the text has several lines. Both start at 1. */
export function locate(text: string, index: number): string {
  const lines = text.slice(0, index).split('\n')
  const character = `character ${[...lines.at(-1)!].length + 1}`
  return text.includes('\n') ? `line ${lines.length}, ${character}` : character
}

/** "no video", "1 video", "2 videos". */
export const formatCount = (count: number, noun: string) => `${count || 'no'} ${noun}${count > 1 ? 's' : ''}`

/** A file as messages name it. */
export const nameFile = ({ id, fileName }: { id: string; fileName?: string | null }): string =>
  fileName ? `${fileName} (${id})` : id
