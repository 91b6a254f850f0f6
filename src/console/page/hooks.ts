import { useCallback, useEffect, useState } from 'preact/hooks'

export interface Loaded<Value> {
  value: Value | undefined
  error: Error | undefined
  isLoading: boolean
  /** Loads again. The old value stays until the new one is there. */
  reload(): void
}

/** Loads a value whenever one of `inputs` changes. An answer that a later one has overtaken is dropped. */
export function useLoad<Value>(load: (signal: AbortSignal) => Promise<Value>, inputs: unknown[]): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    setState(({ value }) => ({ value, error: undefined, isLoading: true }))
    load(controller.signal).then(
      (value) => controller.signal.aborted || setState({ value, error: undefined, isLoading: false }),
      (error) => controller.signal.aborted || setState(({ value }) => ({ value, error, isLoading: false })),
    )
    return () => controller.abort()
  }, [...inputs, turn])
  return { ...state, reload: useCallback(() => setTurn((turn) => turn + 1), []) }
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
  return { path: path.split('/').map(decodeURIComponent), query: new URLSearchParams(query) }
}

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

/** A value that this tab keeps over reloads. */
export function useKept<Value>(name: string, initial: Value): [Value, (value: Value) => void] {
  const key = `postroom.${name}`
  const [value, setValue] = useState<Value>(() => JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? initial)
  return [
    value,
    (value) => {
      sessionStorage.setItem(key, JSON.stringify(value))
      setValue(value)
    },
  ]
}
