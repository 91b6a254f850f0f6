import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { sleep } from '../../../clients/sdk/http.ts'
import { PostroomError, Unauthorized } from '../../../clients/sdk/index.ts'
import { SessionContext } from './session.ts'

export interface Loaded<Value> {
  value: Value | undefined
  error: Error | undefined
  isLoading: boolean
  /** Loads again. The old value stays until the new one is there. */
  reload(): void
}

const LOADING = { value: undefined, error: undefined, isLoading: true }

/** The pause before something is loaded again, if the service does not ask for another one. */
const PAUSE_SECONDS = 10

/** After how many seconds a failed request may succeed; undefined if it will fail again. */
export function pauseAfter(error: Error): number | undefined {
  if (!(error instanceof PostroomError)) return undefined
  const { status, retryAfter } = error
  return status === 0 || status === 429 || status >= 500 ? Math.max(1, retryAfter ?? PAUSE_SECONDS) : undefined
}

/**
 * Loads a value whenever one of `inputs` changes. An answer that a later one has overtaken is dropped. A failure that
 * passes is shown, and followed by another attempt. A key that is not valid any more ends the session.
 */
export function useLoad<Value>(load: (signal: AbortSignal) => Promise<Value>, inputs: unknown[]): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>(LOADING)
  const session = useContext(SessionContext)
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((turn) => turn + 1), [])
  useEffect(() => {
    const controller = new AbortController()
    let timer: number | undefined
    const fail = (error: Error) => {
      if (controller.signal.aborted) return
      setState(({ value }) => ({ value, error, isLoading: false }))
      const pauseSeconds = pauseAfter(error)
      if (pauseSeconds) timer = setTimeout(reload, pauseSeconds * 1000)
      if (error instanceof Unauthorized) session?.end(error)
    }
    setState((state) => ({ ...state, isLoading: true }))
    load(controller.signal).then(
      (value) => controller.signal.aborted || setState({ value, error: undefined, isLoading: false }),
      fail,
    )
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [...inputs, turn])
  return { ...state, reload }
}

/** The items of a list as far as they are read, and the cursor of the others; null at the end of the list. */
interface ReadSoFar<Item> {
  items: Item[]
  cursor: string | null | undefined
}

export interface Pages<Item> extends Loaded<ReadSoFar<Item>> {
  /** Reads the next page too. */
  more(): void
}

type ReadPage<Item> = (
  cursor: string | undefined,
  signal: AbortSignal,
) => Promise<{ data: Item[]; nextCursor?: string | null | undefined }>

/**
 * Loads the first page of a list whenever one of `inputs` changes, and further ones when somebody asks for them. Each
 * new `turn` reads all of them again.
 */
export function usePages<Item>(size: number, read: ReadPage<Item>, inputs: unknown[], turn: number): Pages<Item> {
  const key = JSON.stringify(inputs)
  const [wanted, setWanted] = useState({ key, count: size })
  const count = wanted.key === key ? wanted.count : size
  const kept = useRef<ReadSoFar<Item> & { key: string }>(undefined)
  const loaded = useLoad(
    async (signal) => {
      const turnKey = `${key} ${turn}`
      let { items, cursor }: ReadSoFar<Item> =
        kept.current?.key === turnKey ? kept.current : { items: [], cursor: undefined }
      while (items.length < count && cursor !== null) {
        const { data, nextCursor } = await read(cursor, signal)
        items = [...items, ...data]
        cursor = nextCursor ?? null
      }
      kept.current = { key: turnKey, items, cursor }
      return kept.current
    },
    [key, turn, count],
  )
  return { ...loaded, more: () => setWanted({ key, count: (loaded.value?.items.length ?? 0) + size }) }
}

/** A text that asks for requests is probably typed when no letter has come for this time. */
const TYPING_MS = 400

export const typingEnds = (signal: AbortSignal) => sleep(TYPING_MS, signal)

/** The text of a field. A new drawing of the page keeps the typed text, a new `value` replaces it. */
export function useTyped(value: string) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  return { value: typed, onInput: (event: Event) => setTyped((event.target as HTMLInputElement).value) }
}

/** An action of a form or a button, with the error of its last run. */
export function useAction<Target extends HTMLElement>(act: (target: Target) => Promise<unknown>) {
  const [error, setError] = useState<Error>()
  const [isRunning, setRunning] = useState(false)
  const run = (event: Event) => {
    event.preventDefault()
    setRunning(true)
    setError(undefined)
    act(event.target as Target)
      .catch(setError)
      .finally(() => setRunning(false))
  }
  return { run, error, isRunning, clear: () => setError(undefined) }
}

/** The part of the address behind `#`, such as `/posts/ID`, with its parameters. */
export function useRoute(): { path: string[]; query: URLSearchParams } {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/'), query: new URLSearchParams(query) }
}

/** The calendar as it was looked at last: its month, view, filters and time zone. */
export const calendarAddress = (): string => readKept('calendar').hash ?? '#/calendar'

export const showPost = (id: string) => location.assign(`#/posts/${id}`)

/** Changes the parameters of the address. An empty value removes its parameter. */
export function setQuery(changes: Record<string, string>): void {
  const [path = '', text = ''] = location.hash.split('?')
  const query = new URLSearchParams(text)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name)
    else query.set(name, value)
  }
  location.hash = query.size > 0 ? `${path}?${query}` : path
}

const kept = new EventTarget()

/**
 * A value that this tab keeps over reloads. It can be changed while the element is not shown. Keys that an earlier
 * version did not keep are as in `initial`.
 */
export function useKept<T extends object>(name: string, initial: T): [T, (change: (value: T) => T) => void] {
  const [value, setValue] = useState<T>(() => {
    const first = { ...initial, ...readKept(name) }
    keep(name, first)
    return first
  })
  useLayoutEffect(() => {
    const follow = () => setValue(readKept(name))
    // The effect of a child may have changed it.
    follow()
    kept.addEventListener(name, follow)
    return () => kept.removeEventListener(name, follow)
  }, [])
  return [value, (change) => keep(name, change(readKept(name)))]
}

export const readKept = (name: string) => JSON.parse(sessionStorage.getItem(`postroom.${name}`) ?? '{}')

export function keep(name: string, value: object): void {
  sessionStorage.setItem(`postroom.${name}`, JSON.stringify(value))
  kept.dispatchEvent(new Event(name))
}
