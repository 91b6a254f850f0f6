import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toPublicError } from './errors.ts'
import { html, PAGE_POLICY, type PageContent, toPage } from './html.ts'

export const FORM_TYPE = 'application/x-www-form-urlencoded'

export const BUSY: PageContent = {
  title: 'Please try again',
  body: html`<p role="alert">The service is too busy, or its database cannot be reached. Load this page again in a moment.</p>`,
}

export const errorPage = (message: string): PageContent => ({
  title: 'Something went wrong',
  body: html`<p role="alert">${message}</p>`,
})

/** Makes `app` read forms as URLSearchParams instead of JSON. */
export function readForms(app: FastifyInstance): void {
  // The parsers of the API, such as that of JSON.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM_TYPE, { parseAs: 'string' }, async (_request: FastifyRequest, body: string) => {
    return new URLSearchParams(body)
  })
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
    if (statusCode >= 500) request.log.error({ reqId: request.id, err: error }, 'request failed')
    if (known?.code === 'database_unavailable') return sendPage(reply, statusCode, BUSY)
    const message = known?.details?.[0]?.message ?? known?.message
    return sendPage(reply, statusCode, errorPage(message ?? 'The service has failed. Try again in a while.'))
  })
}

export const sendPage = (reply: FastifyReply, status: number, content: PageContent) =>
  reply.code(status).type('text/html; charset=utf-8').send(toPage(content))
