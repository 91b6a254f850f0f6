import { Refused, type Reply } from './network.ts'

/** An error with status 200: https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/errors.py */
export function refuse(code: string, message: string, field: string): never {
  throw new Refused({ status: 200, body: { json: { errors: [[code, message, field]] } } })
}

/**
 * A response without `api_type=json`: https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/jsonresponse.py
 */
export const jquery = (): never => {
  throw new Refused({ status: 200, body: { jquery: [[0, 1, 'call', ['body']]], success: false } })
}

/**
 * https://github.com/praw-dev/praw/blob/main/tests/integration/cassettes/TestSubreddit.test_submit__verify_invalid.json
 */
export function refuseByRules(field: string, reason: string, explanation: string): never {
  const error = { error_type: 'SUBMIT_VALIDATION_ERROR', message: 'Bad Request' }
  throw new Refused({ status: 400, body: { fields: [field], explanation, ...error, reason } })
}

/**
 * https://github.com/praw-dev/prawcore/tree/main/tests/integration/cassettes: test_request__with_invalid_access_token
 */
export function unauthorized(): never {
  const headers = { 'www-authenticate': 'Bearer realm="reddit", error="invalid_token"' }
  throw new Refused({ status: 401, headers, body: { message: 'Unauthorized', error: 401 } })
}

/** The same: test_request__with_insufficient_scope */
export function outOfScope(): never {
  const headers = { 'www-authenticate': 'Bearer realm="reddit", error="insufficient_scope"' }
  throw new Refused({ status: 403, headers, body: { error: 403 } })
}

export function forbidden(reason: string): never {
  throw new Refused({ status: 403, body: { reason, message: 'Forbidden', error: 403 } })
}

export function notFound(): never {
  throw new Refused({ status: 404, body: { message: 'Not Found', error: 404 } })
}

/**
 * Names that do not exist lead to the search: https://github.com/praw-dev/prawcore/blob/main/prawcore/exceptions.py
 * (Redirect).
 */
export function toSearch(name: string): never {
  const headers = { location: `https://www.reddit.com/subreddits/search?q=${name}` }
  throw new Refused({ status: 302, headers, body: '' })
}

export function page(status: number, text: string): never {
  const body = `<!doctype html><html><head><title>${text}</title></head><body><h1>whoa there, pardner!</h1></body></html>`
  throw new Refused({ status, headers: { 'content-type': 'text/html; charset=UTF-8' }, body })
}

/**
 * The app has used up its requests: test_request__too__many_requests__without_retry_headers, and the headers of each
 * response.
 */
export const throttled = (seconds: number): Reply => ({
  status: 429,
  headers: limitHeaders(1000, 0, seconds),
  body: { message: 'Too Many Requests', error: 429 },
})

/** Numbers of requests have a fraction in some recordings. */
export const limitHeaders = (used: number, remaining: number, resetSeconds: number): Record<string, string> => ({
  'x-ratelimit-used': String(used),
  'x-ratelimit-remaining': remaining.toFixed(1),
  'x-ratelimit-reset': String(resetSeconds),
})
