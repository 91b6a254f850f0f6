import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { hasScope, type Scope } from '../../../schemas/scopes.ts'
import { Forbidden, type Platform, type PostDetail, Postroom, responseOf } from '../../sdk/index.ts'
import { fetchWithProgress } from './progress.ts'

/** The person who looks: a client with their key, and what the key allows. */
export interface Session {
  client: Postroom
  userId: string
  /** Null for all. */
  scopes: readonly Scope[] | null
  /** The only accounts that the key can use; null for all. */
  accountIds: readonly string[] | null
  /** The catalogue by the ids of networks. Empty where the key may not read it. */
  platforms: ReadonlyMap<string, Platform>
  /** Signs out, because of an error or because somebody wants to. */
  end(error?: Error): void
}

/** The address of the service: that of this page without `/console`. */
const BASE = new URL('.', location.href.replace(/[?#].*/, '').replace(/\/$/, '')).href

/** An address that the service has signed, below that of this page: a proxy may serve both under a path. */
export function toOwn(signed: string): string {
  const { pathname, search } = new URL(signed)
  return new URL(`.${pathname}${search}`, BASE).href
}

const KEY = 'postroom.key'

/** The key of this tab, or the one that was kept. `#key=…` in the address is moved to the tab. */
export function readKey(): string | null {
  const [, given] = /^#key=(pr_\w+)$/.exec(location.hash) ?? []
  if (given) {
    sessionStorage.setItem(KEY, given)
    history.replaceState(null, '', '#/calendar')
  }
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY)
}

export function keepKey(key: string, isKept: boolean): void {
  sessionStorage.setItem(KEY, key)
  if (isKept) localStorage.setItem(KEY, key)
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY)
  localStorage.removeItem(KEY)
}

/** Forgets the key and everything that this tab keeps, such as a text that was typed. */
export function forgetPerson(): void {
  sessionStorage.clear()
  forgetKey()
}

export async function signIn(key: string, end: Session['end']): Promise<Session> {
  // `useLoad` tries again, and says so. The first two requests repeat alone: a small quota never allows both at once.
  const client = new Postroom({ key, baseUrl: BASE, fetch: fetchWithProgress, maxRetries: 0 })
  const [{ userId, scopes, accountIds }, platforms] = await Promise.all([
    client.keys.current({ maxRetries: 3 }),
    client.platforms.list({ maxRetries: 3 }).then(({ data }) => data, unless(Forbidden, [])),
  ])
  const catalogue = new Map(platforms.map((platform) => [platform.id, platform]))
  return { client, userId, scopes, accountIds, platforms: catalogue, end }
}

/** Gives a value in place of an expected error. */
export const unless =
  <Value>(expected: new (...args: never[]) => Error, value: Value) =>
  (error: Error): Value => {
    if (error instanceof expected) return value
    throw error
  }

export const SessionContext = createContext<Session | null>(null)

export const useSession = (): Session => useContext(SessionContext)!

/** Names networks, without the kinds of their accounts in brackets. */
export function useNames(): (platform: string) => string {
  const { platforms } = useSession()
  return (platform) => platforms.get(platform)?.name.replace(/ \(.*/, '') ?? platform
}

/** Whether the key has this scope. What it does not allow is not shown. */
export const useCan = (scope: Scope): boolean => hasScope(useSession(), scope)

/** Whether the key connects accounts. One for some accounts cannot reach another one. */
export function useCanConnect(): boolean {
  const canChange = useCan('accounts:connect')
  return useSession().accountIds === null && canChange
}

/** The version of a post as it was read: a change of another tab or program in between is not overwritten. */
export const versionOf = (post: PostDetail) => ({ ifMatch: responseOf(post)?.headers.get('etag') ?? undefined })
