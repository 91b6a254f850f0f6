import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { withDatabaseBudget } from '../../db/budget.ts'
import { isId } from '../../db/id.ts'
import {
  type ConnectionFlow,
  failConnection,
  findConnection,
  findConnectionByState,
  findConnectionByToken,
  openConnection,
} from '../../db/queries/connections.ts'
import { AppError } from '../errors.ts'
import { toPublicError } from '../http/errors.ts'
import type { Log } from '../log.ts'
import { PublishError } from '../platforms/contract/publish-error.ts'
import { beginFlow } from './begin.ts'
import { chooseAccounts } from './choose.ts'
import type { ConnectionContext } from './context.ts'
import { cookieHeader, isSameBrowser } from './cookie.ts'
import { toFlowFailure } from './failure.ts'
import { finishFlow } from './finish.ts'
import { PAGE_POLICY, type PageContent, toPage } from './html.ts'
import {
  BUSY,
  errorPage,
  MANUAL,
  OTHER_BROWSER,
  outcomePage,
  UNKNOWN,
  unreachablePage,
  usedPage,
} from './page-texts.ts'
import { withOutcome } from './return-url.ts'
import { hashSecret } from './secrets.ts'
import { toConnection } from './view.ts'

/** Pages for browsers, which have no key: the link and its cookie take its place. */
export const connectPages: FastifyPluginAsync<ConnectionContext> = async (app, context) => {
  const { db } = context
  // Chat programs look at links with HEAD. That must not open them.
  const page = { exposeHeadRoute: false, schema: { hide: true }, config: { hidesPath: true } }
  const form = { ...page, schema: { hide: true, consumes: [FORM_TYPE], body: Type.Object({}) } }

  speakHtml(app)

  app.get<{ Params: { token: string } }>('/connect/:token', page, async (request, reply) => {
    const connection = await findConnectionByToken(db, hashSecret(request.params.token))
    if (!connection) return send(reply, 404, UNKNOWN)
    if (connection.state !== 'pending') return send(reply, 410, usedPage(connection))
    return openLink(context, connection, reply)
  })

  app.get('/connect/callback', page, async (request, reply) => {
    const callback = new URL(request.url, 'http://localhost').searchParams
    const states = callback.getAll('state')
    const connection = states.length === 1 && (await findConnectionByState(db, hashSecret(states[0]!)))
    if (!connection) return send(reply, 404, UNKNOWN)
    if (connection.state === 'expired') return send(reply, 410, usedPage(connection))
    if (!connection.cookieHash) return send(reply, 200, MANUAL)
    if (!isSameBrowser(context, connection, request.headers.cookie)) return send(reply, 403, OTHER_BROWSER)
    await finishFlow(context, connection, callback, request.log as Log)
    // The state is spent, so that the page cannot be loaded again.
    return withDatabaseBudget(undefined, () => sendOutcome(context, connection.id, reply))
  })

  app.get<{ Params: { id: string } }>('/connect/result/:id', page, async (request, reply) => {
    const connection = await findOfBrowser(context, request)
    if (!connection) return send(reply, 403, OTHER_BROWSER)
    const content = outcomePage(await toConnection(context, connection))
    return send(reply, connection.state === 'expired' ? 410 : 200, content)
  })

  app.post<{ Params: { id: string }; Body: URLSearchParams }>('/connect/result/:id', form, async (request, reply) => {
    const connection = await findOfBrowser(context, request)
    if (!connection) return send(reply, 403, OTHER_BROWSER)
    const ids = request.body.getAll('id')
    const problem =
      connection.state !== 'choosing'
        ? undefined
        : ids.length > 0
          ? await choose(context, ids, connection)
          : 'Choose an account.'
    if (problem === undefined) return reply.redirect(`/connect/result/${connection.id}`, 303)
    return send(reply, 409, outcomePage(await toConnection(context, connection), { problem }))
  })
}

const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Reads forms, and sends errors as pages. */
function speakHtml(app: FastifyInstance): void {
  // The parsers of the API, such as that of JSON.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM_TYPE, { parseAs: 'string' }, async (_request: FastifyRequest, body: string) => {
    return new URLSearchParams(body)
  })

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
    if (known?.code === 'database_unavailable') return send(reply, statusCode, BUSY)
    const message = known?.details?.[0]?.message ?? known?.message
    return send(reply, statusCode, errorPage(message ?? 'The service has failed. Try again in a while.'))
  })
}

const send = (reply: FastifyReply, status: number, content: PageContent) =>
  reply.code(status).type('text/html; charset=utf-8').send(toPage(content))

/** Returns why the accounts cannot be connected, in words for the person who chose. */
const choose = (context: ConnectionContext, ids: string[], connection: ConnectionFlow): Promise<string | undefined> =>
  chooseAccounts(context, connection, ids).then(
    () => undefined,
    (error) => {
      if (error instanceof AppError && error.statusCode < 500) return error.message
      throw error
    },
  )

/** The connection in the path, if this browser has opened its link. */
async function findOfBrowser(
  context: ConnectionContext,
  { params, headers }: FastifyRequest<{ Params: { id: string } }>,
): Promise<ConnectionFlow | undefined> {
  const connection = isId(params.id) ? await findConnection(context.db, params.id) : undefined
  return connection && isSameBrowser(context, connection, headers.cookie) ? connection : undefined
}

/** Sends the browser that opens a link to the network. A network that cannot be reached leaves the link as it is. */
async function openLink(context: ConnectionContext, connection: ConnectionFlow, reply: FastifyReply) {
  const { id, platform } = connection
  try {
    const { url, cookie, opened } = await beginFlow(context, { ...connection, isBound: true })
    if (!(await openConnection(context.db, id, opened))) return send(reply, 410, usedPage(connection))
    return reply.header('set-cookie', cookieHeader(context, id, cookie!)).redirect(url.href, 303)
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    const { code, message } = toFlowFailure(platform, error)
    if (error.retryable) return send(reply, 502, unreachablePage(message))
    await failConnection(context.db, id, { code, message })
    return send(reply, 200, outcomePage(await toConnection(context, (await findConnection(context.db, id))!)))
  }
}

/**
 * Sends the browser on: to the address of the request, or to the page that shows the outcome and can be loaded again.
 */
async function sendOutcome(context: ConnectionContext, id: string, reply: FastifyReply) {
  const connection = await findConnection(context.db, id)
  if (!connection) return send(reply, 404, UNKNOWN)
  const { state, returnUrl } = connection
  const isOver = state === 'connected' || state === 'failed'
  return reply.redirect(
    isOver && returnUrl !== null ? withOutcome(returnUrl, { id, state }) : `/connect/result/${id}`,
    303,
  )
}
