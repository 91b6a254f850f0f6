import { loadCrypto } from './crypto.ts'
import { ConnectionError, PostroomError } from './errors.ts'
import type { ChangeOptions, CreateOptions, Options, PostroomOptions } from './options.ts'
import { List, type Page } from './pages.ts'
import type { Path } from './path.ts'
import { parseJson, readText, toError } from './responses.ts'
import { pauseBefore } from './retries.ts'
import { Form } from './uploads.ts'

interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: Path
  query?: object | undefined
  /** JSON, or a form. */
  body?: object | undefined
  headers?: Record<string, string | undefined>
  /** Whether a lost request may be sent again. One that was refused with 429 always may. */
  isRepeatable?: boolean
  options?: Options | undefined
}

const responses = new WeakMap<object, Response>()

/** The response that a method's result came with, for its headers: `etag`, `x-request-id`, `idempotent-replayed`. */
export const responseOf = (result: object): Response | undefined => responses.get(result)

/** Longer timers end immediately. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** Sends requests, with retries. */
export class Http {
  readonly #options: PostroomOptions & { baseUrl: string; maxRetries: number; timeoutMs: number }

  constructor({ key, baseUrl = 'http://localhost:3000', maxRetries = 2, timeoutMs = 15_000, fetch }: PostroomOptions) {
    if (typeof key !== 'string' || !/^[!-~]+$/.test(key)) throw new TypeError('key must be an API key, such as pr_…')
    const api = `${new URL(baseUrl).href.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`
    this.#options = { key, baseUrl: api, maxRetries, timeoutMs, fetch }
  }
  get maxRetries(): number {
    return this.#options.maxRetries
  }
  /** Sends a request to a path beside the API once, without the key. Its body may take any time. */
  async outside(path: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    const { baseUrl, fetch = globalThis.fetch } = this.#options
    let response: Response
    try {
      response = await fetch(baseUrl.replace(/\/api\/v1$/, path), {
        ...init,
        redirect: 'manual',
        signal: signal ?? null,
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw toConnectionError(error, baseUrl)
    }
    if (!response.ok) throw toError(response, parseJson(await response.text()))
    return response
  }
  get<T extends object>(path: Path, query?: object, options?: Options): Promise<T> {
    return this.json({ method: 'GET', path, query, isRepeatable: true, options })
  }
  /** `name` is the parameter of the cursor, which replaces those that say where to begin. */
  list<P extends Page<unknown>>(path: Path, query: object = {}, options?: Options, name = 'cursor'): List<P> {
    const begin = { offset: undefined, from: undefined }
    return new List((cursor) => this.get<P>(path, { ...query, ...(cursor && { ...begin, [name]: cursor }) }, options))
  }
  /** Sends a request with an idempotency key, which is the same in all attempts. */
  async create<T extends object>(
    path: Path,
    body: object | undefined,
    options: CreateOptions = {},
    method: Request['method'] = 'POST',
  ): Promise<T> {
    const { idempotencyKey = (await loadCrypto()).randomUUID() } = options
    return this.send(method, path, body, { ...options, idempotencyKey }, true)
  }
  /**
   * Sends a change. Other options than these are parameters of the query. Without `isRepeatable`, the method and the
   * headers decide whether it may be sent again.
   */
  send<T extends object>(
    method: Request['method'],
    path: Path,
    body?: object,
    { idempotencyKey, ifMatch, signal, timeoutMs, maxRetries, ...query }: CreateOptions & ChangeOptions = {},
    isRepeatable = method === 'PUT' || method === 'DELETE' || (method === 'PATCH' && ifMatch !== undefined),
  ): Promise<T> {
    const headers = { 'idempotency-key': idempotencyKey, 'if-match': ifMatch }
    return this.json({ method, path, query, body, headers, isRepeatable, options: { signal, timeoutMs, maxRetries } })
  }
  /** Sends a request, and returns the JSON of its response; undefined for 304. */
  json<T extends object>(request: Request): Promise<T> {
    return this.#withRetries(request, async (response, { heard }) => {
      const body = parseJson(await readText(response, heard)) as T | null | undefined
      if (response.status === 304) return undefined as never
      if (!response.ok) throw toError(response, body)
      if (typeof body !== 'object' || !body) throw new PostroomError(`${response.url} did not send JSON`, response)
      responses.set(body, response)
      return body
    })
  }
  /** Gets a file, also from the target of a redirect. The body of the response has not been read. */
  file(path: Path, query: object = {}, { range, ...options }: Options & { range?: string } = {}): Promise<Response> {
    const headers: Record<string, string> = range ? { range } : {}
    const request: Request = { method: 'GET', path, query, headers, isRepeatable: true, options }
    return this.#withRetries(request, async (response, { fetch }) => {
      const target = response.status === 307 && response.headers.get('location')
      // The API key is not sent: it is not for the server of the target.
      const file = target ? await fetch(target, { headers }) : response
      if (!file.ok) throw toError(file, parseJson(await file.text()))
      return file
    })
  }
  async #withRetries<T>(
    { method, path, query = {}, body, options = {}, ...request }: Request,
    read: (response: Response, attempt: { fetch: typeof globalThis.fetch; heard: () => void }) => Promise<T>,
  ): Promise<T> {
    const { key, baseUrl, fetch = globalThis.fetch, ...defaults } = this.#options
    const url = `${baseUrl}${typeof path === 'function' ? path() : path}${toQuery(query)}`
    const { signal, timeoutMs = defaults.timeoutMs, maxRetries = defaults.maxRetries } = options
    const form = body instanceof Form ? body : undefined
    const headers = new Headers({ authorization: `Bearer ${key}`, accept: 'application/json' })
    const json = form || body === undefined ? '' : JSON.stringify(body)
    if (body !== undefined) headers.set('content-type', form?.type ?? 'application/json')
    for (const [name, value] of Object.entries(request.headers ?? {})) if (value !== undefined) headers.set(name, value)
    for (let retries = 0; ; retries++) {
      const content = body !== undefined && {
        body: form ? await form.open() : json,
        duplex: 'half' as const,
      }
      signal?.throwIfAborted()
      // Node 18 lacks AbortSignal.any.
      const attempt = new AbortController()
      const end = () => attempt.abort(signal?.reason)
      let timer: ReturnType<typeof setTimeout> | undefined
      // A slow link may take minutes for a page of posts: only silence ends an attempt.
      let silenceMs = timeoutMs
      const heard = (ms = timeoutMs) => {
        clearTimeout(timer)
        silenceMs = ms
        timer = setTimeout(end, Math.min(ms, TIMER_MAX_MS))
      }
      // The service accepts a body that arrives at a byte a millisecond.
      heard(timeoutMs + json.length)
      signal?.addEventListener('abort', end)
      let failure: PostroomError
      try {
        // A redirect that is followed turns a POST into a GET.
        const init = { method, headers, redirect: 'manual', signal: attempt.signal, ...content } as const
        const response = await fetch(url, init)
        heard()
        return await read(response, { fetch, heard })
      } catch (error) {
        signal?.throwIfAborted()
        const endedAfterMs = attempt.signal.aborted ? silenceMs : undefined
        failure = error instanceof PostroomError ? error : toConnectionError(error, baseUrl, endedAfterMs)
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
      }
      const canRepeat = retries < maxRetries && form?.canReopen !== false
      const pauseMs = canRepeat ? pauseBefore(retries, failure, request.isRepeatable) : undefined
      if (pauseMs === undefined) throw failure
      await sleep(pauseMs, signal)
    }
  }
}

/** `silenceMs` is the time limit if it has ended the request. */
function toConnectionError(error: unknown, url: string, silenceMs?: number): ConnectionError {
  const { cause, message } = error as Error & { cause?: { message?: string; code?: string } }
  const reason = silenceMs !== undefined ? `within ${silenceMs} ms` : `(${cause?.message || cause?.code || message})`
  return new ConnectionError(`No response from ${new URL(url).origin} ${reason}`, null, null, error)
}

/** Waits. Throws the reason of `signal` as soon as that is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  let end = () => {}
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    end = () => resolve(clearTimeout(timer))
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
}

/** The query string. An array repeats its parameter; undefined leaves it out. */
function toQuery(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, each] as [string, string]),
  )
  const text = new URLSearchParams(pairs.filter(([, value]) => value !== undefined)).toString()
  return text && `?${text}`
}
