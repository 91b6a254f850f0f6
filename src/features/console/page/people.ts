import { createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import type { Account } from '../../../clients/sdk/index.ts'
import { type Loaded, useLoad } from './hooks.ts'
import { useCan, useSession } from './session.ts'

/** The accounts that the key reaches, which all pages show by picture and name. */
export interface People extends Loaded<Account[]> {
  byId: ReadonlyMap<string, Account>
}

/** Loads the accounts, and again for each page. */
export function useLoadedPeople(page: string): People {
  const { client } = useSession()
  const canRead = useCan('accounts:read')
  const loaded = useLoad<Account[]>(
    async () => (canRead ? Array.fromAsync(client.accounts.list()) : []),
    [client, canRead, page],
  )
  const byId = useMemo(() => new Map(loaded.value?.map((account) => [account.id, account])), [loaded.value])
  return { ...loaded, byId }
}

export const PeopleContext = createContext<People | null>(null)

export const usePeople = (): People => useContext(PeopleContext)!

/** The name of an account, for people. */
export const nameOf = ({ displayName, username }: Pick<Account, 'username' | 'displayName'>) => displayName ?? username

/** Whether all typed words stand in the names or tags of an account, or in the name of its network. */
export function isNamed({ username, displayName = '', tags = [] }: Account, network: string, typed: string): boolean {
  const names = `${displayName} ${username} ${network} ${tags.join(' ')}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word))
}
