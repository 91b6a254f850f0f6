import * as errors from './errors.ts'
import type { ErrorBody } from './types.ts'

const CLASSES: Record<number, typeof errors.PostroomError> = {
  400: errors.InvalidRequest,
  401: errors.Unauthorized,
  403: errors.Forbidden,
  404: errors.NotFound,
  409: errors.Conflict,
  412: errors.PreconditionFailed,
  429: errors.RateLimited,
}
const CODES: Record<string, typeof errors.PostroomError> = {
  platform_limit: errors.LimitViolation,
  cursor_expired: errors.CursorExpired,
}

/** The error of a response that is not a success, with the JSON of its body. */
export function toError(response: Response, json: unknown): errors.PostroomError {
  const { status, url, headers } = response
  const body = typeof (json as ErrorBody | null | undefined)?.error === 'string' ? (json as ErrorBody) : null
  const mistakes = body?.details?.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
  // Not of Postroom: of a proxy, or a redirect, whose status is 0 in browsers.
  const other = `${url} responded with ${status}${headers.has('location') ? ` to ${headers.get('location')}` : ''}: check baseUrl`
  const hint = headers.get('x-error-hint')
  const message = [body?.error ?? other, mistakes?.join('; ') ?? hint]
  const Class = status >= 500 ? errors.ServerError : (CLASSES[status] ?? errors.PostroomError)
  return new (CODES[headers.get('x-error-code') ?? ''] ?? Class)(message.filter(Boolean).join(': '), response, body)
}

/** The parsed JSON; undefined if `text` is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads the text of a body. `heard` is called for each part of it. */
export async function readText(response: Response, heard: () => void): Promise<string> {
  // The `fetch` of a caller may return bodies of another kind.
  if (typeof response.body?.getReader !== 'function') return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    heard()
    text += decoder.decode(value, { stream: true })
  }
}
