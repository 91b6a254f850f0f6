import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { currentBudget, SHARED_BY_STRANGERS } from '../../../db/budget.ts'
import { fail } from '../errors.ts'
import { parseInRoom } from './body-room.ts'
import { addRetryAfter, toPublicError } from './errors.ts'
import { html, PAGE_POLICY, type PageContent, toPage } from './html.ts'
import { logFailure } from './log-failure.ts'

export const FORM_TYPE = 'application/x-www-form-urlencoded'

const BUSY: PageContent = {
  title: 'Please try again',
  body: html`<p role="alert">The service is too busy, or its database cannot be reached. Load this page again in a moment.</p>`,
}

const errorPage = (message: string): PageContent => ({
  title: 'Something went wrong',
  body: html`<p role="alert">${message}</p>`,
})

/** The longest form names the ids of about a thousand accounts. */
const FORM_BYTES_MAX = 65_536
/** The shortest pair takes a byte of a body, and a hundred bytes of memory. */
const FORM_PAIRS_MAX = 2_000

/** Makes a request without a key share connections with all others, so that no number of them takes those of users. */
export const useStrangersShare: onRequestHookHandler = (_request, _reply, done) => {
  currentBudget()!.userId = SHARED_BY_STRANGERS.requests
  done()
}

/**
 * Makes the routes of `app` read forms as URLSearchParams instead of JSON. Forms come from browsers and apps, which
 * send no key. Call it before the routes are added.
 */
export function readForms(app: FastifyInstance): void {
  app.addHook('onRequest', useStrangersShare)
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= FORM_BYTES_MAX
  })
  // The parsers of the API, such as that of JSON.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM_TYPE, { parseAs: 'string' }, async (request: FastifyRequest, body: string) =>
    parseInRoom(request, body, parseForm),
  )
}

/** Throws 413 if it has too many pairs. Node's parser takes quadratic time for pairs without `=`. */
function parseForm(body: string): URLSearchParams {
  const pairs = body.split('&', FORM_PAIRS_MAX + 1)
  if (pairs.length > FORM_PAIRS_MAX) throw fail('body_too_large.form', FORM_PAIRS_MAX)
  return new URLSearchParams(pairs.map((pair) => (pair === '' || pair.includes('=') ? pair : `${pair}=`)).join('&'))
}

/** Reads forms, and sends errors as pages. */
export function speakHtml(app: FastifyInstance): void {
  readForms(app)

  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({
      'content-security-policy': PAGE_POLICY,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    const known = toPublicError(error, request)
    const statusCode = known?.statusCode ?? 500
    if (statusCode >= 500) logFailure(request, error, statusCode === 503 ? known?.code : undefined)
    addRetryAfter(reply, error, statusCode)
    if (known?.code === 'database_unavailable' || known?.code === 'service_busy')
      return sendPage(reply, statusCode, BUSY)
    const message = known?.details?.[0]?.message ?? known?.message
    return sendPage(reply, statusCode, errorPage(message ?? 'The service has failed. Try again in a while.'))
  })
}

export const sendPage = (reply: FastifyReply, status: number, content: PageContent) =>
  reply.code(status).type('text/html; charset=utf-8').send(toPage(content))
