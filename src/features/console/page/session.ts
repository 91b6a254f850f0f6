import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { hasScope, type Scope } from '../../../../schemas/scopes.ts'
import {
  type CurrentApiKey,
  Forbidden,
  type Media,
  type Platform,
  type PostDetail,
  Postroom,
  responseOf,
} from '../../../clients/sdk/index.ts'
import { listOf, say, sentences } from './language.ts'
import { fetchWithProgress } from './progress.ts'

/** The person who looks: a client with their key, and what the key allows. */
export interface Session {
  client: Postroom
  /** Stores a file, and tells the share of it that was sent. */
  upload(file: File, onProgress: (share: number) => void): Promise<Media>
  userId: string
  /** The name of the user, and that of the key or its first characters. */
  userName: string
  keyName: string
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
export const BASE = new URL('.', location.href.replace(/[?#].*/, '').replace(/\/$/, '')).href

/** An address that the service has signed, below that of this page: its address need not be PUBLIC_URL. */
export function toOwn(signed: string): string {
  const { pathname, search } = new URL(signed)
  const [path] = /\/(?:avatars|files)\/.*/.exec(pathname)!
  return new URL(`.${path}${search}`, BASE).href
}

const KEY = 'postroom.key'
/** The id of the user who has typed what the tab keeps. */
const USER = 'postroom.user'

/** The key of this tab, or the one that was kept. */
export const readKey = (): string | null => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY)

/** Removes a key behind `#key=` from the address, which then ends with `hash`, and returns it. */
export function takeKey(hash = ''): string | undefined {
  const [, given] = /^#key=(.*)$/.exec(location.hash) ?? []
  if (given === undefined) return undefined
  history.replaceState(null, '', hash || '#/calendar')
  return /^pr_\w+$/.test(given) ? given : undefined
}

export function keepKey(key: string, isKept: boolean): void {
  sessionStorage.setItem(KEY, key)
  if (isKept) localStorage.setItem(KEY, key)
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY)
  localStorage.removeItem(KEY)
}

/** Forgets everything that this tab keeps, such as a text that was typed. */
export const forgetTyped = () => sessionStorage.clear()

/** Forgets the key too, where the browser keeps it. */
export function forgetPerson(): void {
  forgetTyped()
  forgetKey()
}

/** Forgets what another person has typed in this tab before. */
function forgetOthers(key: string, userId: string): void {
  if (readKey() !== key) return
  const before = sessionStorage.getItem(USER)
  if (before !== null && before !== userId) {
    const own = sessionStorage.getItem(KEY)
    forgetTyped()
    if (own !== null) sessionStorage.setItem(KEY, own)
  }
  sessionStorage.setItem(USER, userId)
}

// `useLoad` tries again, and says so.
const clientOf = (key: string, options = {}) => new Postroom({ key, baseUrl: BASE, maxRetries: 0, ...options })

// The first requests of a page repeat alone: a small quota never allows all at once.
const readOwn = (client: Postroom) => client.keys.current({ maxRetries: 3 })

const namesOf = ({ userName, name, start }: CurrentApiKey) => ({ userName, keyName: name || `${start}…` })

/** Whose key it is, and its name. */
export const readNames = async (key: string) => namesOf(await readOwn(clientOf(key)))

export async function signIn(key: string, end: Session['end']): Promise<Session> {
  const client = clientOf(key)
  const [own, platforms] = await Promise.all([
    readOwn(client),
    client.platforms.list({ maxRetries: 3 }).then(({ data }) => data, unless(Forbidden, [])),
  ])
  const catalogue = new Map(platforms.map((platform) => [platform.id, platform]))
  forgetOthers(key, own.userId)
  const { userId, scopes, accountIds } = own
  const upload: Session['upload'] = (file, onProgress) =>
    clientOf(key, { fetch: fetchWithProgress(onProgress), maxRetries: 2 }).uploads.create(file)
  return { client, upload, userId, ...namesOf(own), scopes, accountIds, platforms: catalogue, end }
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

/** Names accounts, each with its network. */
export function useAccountNames(): (accounts: readonly { username: string; platform: string }[]) => string {
  const nameOf = useNames()
  return (accounts) =>
    listOf(
      accounts.map(({ username, platform }) =>
        say(sentences.shared.accounts.on, { account: username, network: nameOf(platform) }),
      ),
    )
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
