import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { withDatabaseBudget } from '../../../db/budget.ts'
import { isId } from '../../../db/id.ts'
import {
  type ConnectionFlow,
  failConnection,
  findConnection,
  findConnectionByState,
  findConnectionByToken,
  openConnection,
  reopenConnection,
} from '../../../db/queries/connections.ts'
import { AppError } from '../../base/errors.ts'
import { basePathOf } from '../../base/http/base-path.ts'
import { FORM_TYPE, sendPage, speakHtml } from '../../base/http/pages.ts'
import type { Log } from '../../base/log.ts'
import { PublishError } from '../../platforms/contract/publish-error.ts'
import { beginFlow } from './begin.ts'
import { chooseAccounts } from './choose.ts'
import type { ConnectionContext } from './context.ts'
import { cookieHeader, isSameBrowser } from './cookie.ts'
import { toFlowFailure } from './failure.ts'
import { finishFlow } from './finish.ts'
import {
  MANUAL,
  OTHER_BROWSER,
  onwardPage,
  outcomePage,
  UNKNOWN,
  USED,
  unreachablePage,
  usedPage,
} from './page-texts.ts'
import { withOutcome } from './return-url.ts'
import { hashSecret } from './secrets.ts'
import { toConnection } from './view.ts'

/** Pages for browsers, which have no key: the link and its cookie take its place. */
export const connectPages: FastifyPluginAsync<ConnectionContext> = async (app, context) => {
  const { db } = context
  // Chat programs look at links with HEAD. That must not open them. Programs that look with GET are like browsers: the
  // person who comes after one goes on by a form.
  const page = { exposeHeadRoute: false, schema: { hide: true }, config: { hidesPath: true } }
  const form = { ...page, schema: { hide: true, consumes: [FORM_TYPE], body: Type.Object({}) } }

  speakHtml(app)

  app.get<{ Params: { token: string } }>('/connect/:token', page, async (request, reply) => {
    const connection = await findConnectionByToken(db, hashSecret(request.params.token))
    if (!connection) return sendPage(reply, 404, UNKNOWN)
    if (connection.state !== 'pending') return sendPage(reply, 410, usedPage(connection))
    return openLink(context, connection, reply)
  })

  app.post<{ Params: { token: string } }>('/connect/:token', form, async (request, reply) => {
    const connection = await findConnectionByToken(db, hashSecret(request.params.token))
    if (!connection) return sendPage(reply, 404, UNKNOWN)
    if (connection.state !== 'opened') return sendPage(reply, 410, usedPage(connection))
    return openLink(context, connection, reply)
  })

  app.get('/connect/callback', page, async (request, reply) => {
    const callback = new URL(request.url, 'http://localhost').searchParams
    const states = callback.getAll('state')
    const connection = states.length === 1 && (await findConnectionByState(db, hashSecret(states[0]!)))
    if (!connection) return sendPage(reply, 404, UNKNOWN)
    if (connection.state === 'expired') return sendPage(reply, 410, usedPage(connection))
    if (!connection.cookieHash) return sendPage(reply, 200, MANUAL)
    if (!isSameBrowser(context, connection, request.headers.cookie)) return sendPage(reply, 403, OTHER_BROWSER)
    await finishFlow(context, connection, callback, request.log as Log)
    // The state is spent, so that the page cannot be loaded again.
    return withDatabaseBudget(undefined, () => sendOutcome(context, connection.id, reply))
  })

  app.get<{ Params: { id: string } }>('/connect/result/:id', page, async (request, reply) => {
    const connection = await findOfBrowser(context, request)
    if (!connection) return sendPage(reply, 403, OTHER_BROWSER)
    const content = outcomePage(await toConnection(context, connection))
    return sendPage(reply, connection.state === 'expired' ? 410 : 200, content)
  })

  app.post<{ Params: { id: string }; Body: URLSearchParams }>('/connect/result/:id', form, async (request, reply) => {
    const connection = await findOfBrowser(context, request)
    if (!connection) return sendPage(reply, 403, OTHER_BROWSER)
    const ids = request.body.getAll('id')
    const problem =
      connection.state !== 'choosing'
        ? undefined
        : ids.length > 0
          ? await choose(context, ids, connection)
          : 'Choose an account.'
    if (problem === undefined) return reply.redirect(resultPath(context, connection.id), 303)
    return sendPage(reply, 409, outcomePage(await toConnection(context, connection), { problem }))
  })
}

/** The path of the page that shows the outcome, as the browser sees it. */
const resultPath = ({ publicUrl }: ConnectionContext, id: string) => `${basePathOf(publicUrl())}/connect/result/${id}`

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

/**
 * Sends the browser that opens a link to the network, by a page if another one has opened it before. A network that
 * cannot be reached leaves the link as it is.
 */
async function openLink(context: ConnectionContext, connection: ConnectionFlow, reply: FastifyReply) {
  const { id, platform, state } = connection
  const isFirst = state === 'pending'
  const open = isFirst ? openConnection : reopenConnection
  try {
    const { url, cookie, opened } = await beginFlow(context, { ...connection, isBound: true })
    if (!(await open(context.db, id, opened))) return sendPage(reply, 410, isFirst ? usedPage(connection) : USED)
    reply.header('set-cookie', cookieHeader(context, id, cookie!))
    return isFirst ? reply.redirect(url.href, 303) : sendPage(reply, 200, onwardPage(connection, url))
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    const { code, message } = toFlowFailure(platform, error)
    if (error.retryable) return sendPage(reply, 502, unreachablePage(message))
    await failConnection(context.db, id, { code, message })
    return sendPage(reply, 200, outcomePage(await toConnection(context, (await findConnection(context.db, id))!)))
  }
}

/**
 * Sends the browser on: to the address of the request, or to the page that shows the outcome and can be loaded again.
 */
async function sendOutcome(context: ConnectionContext, id: string, reply: FastifyReply) {
  const connection = await findConnection(context.db, id)
  if (!connection) return sendPage(reply, 404, UNKNOWN)
  const { state, returnUrl } = connection
  const isOver = state === 'connected' || state === 'failed'
  return reply.redirect(
    isOver && returnUrl !== null ? withOutcome(returnUrl, { id, state }) : resultPath(context, id),
    303,
  )
}
