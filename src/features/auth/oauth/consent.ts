import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../../../db/client.ts'
import { listAccounts } from '../../../../db/queries/accounts.ts'
import { insertCode } from '../../../../db/queries/oauth/grants.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import { hasScope, type Scope } from '../../../../schemas/scopes.ts'
import { addRetryAfter } from '../../../base/http/errors.ts'
import { pagePolicy } from '../../../base/http/html.ts'
import { FORM_TYPE, sendPage, speakHtml } from '../../../base/http/pages.ts'
import { generateSecret, hashKey } from '../key.ts'
import { PATHS } from './addresses.ts'
import { type Asked, type ResponseTarget, readRequest, readTarget } from './authorization-request.ts'
import { createClients, type FindClient } from './clients.ts'
import { decisionPage, failurePage, signInPage } from './consent-pages.ts'
import { OAuthError } from './oauth-error.ts'
import { describeTarget, withParameters } from './redirect-uri.ts'
import { type Approver, createProof, createSignIn, takeProof } from './sign-in.ts'

interface ConsentOptions {
  db: Db
  /** Reaches public addresses only. */
  fetch: typeof fetch
  publicUrl(): string
  /** Whether the operator names the proxies in front. */
  knowsAddresses: boolean
}

/**
 * The pages on which a person approves an app. Nothing is stored for a request that nobody has signed in to: the query
 * string stays in the address of the forms, and is checked each time.
 */
export async function consent(app: FastifyInstance, options: ConsentOptions): Promise<void> {
  const { db } = options
  const findClient = createClients(options)
  const signIn = createSignIn(options)
  const page = { exposeHeadRoute: false, schema: { hide: true } }
  const form = { ...page, schema: { hide: true, consumes: [FORM_TYPE], body: Type.Object({}) } }

  speakHtml(app)

  app.get(PATHS.authorize, page, (request, reply) =>
    withRequest(options, findClient, request, reply, async (asked, action) => {
      noteStep(request, 'asked', { clientId: asked.client.id, scopes: asked.scopes })
      return sendPage(reply, 200, signInPage(asked, action))
    }),
  )

  app.post<{ Body: URLSearchParams }>(PATHS.authorize, form, (request, reply) =>
    withRequest(options, findClient, request, reply, async (asked, action) => {
      const clientId = asked.client.id
      if (request.body.has('proof')) return sendAnswer(options, asked, action, request, reply)
      const approver = await signIn(request, request.body.get('key') ?? '')
      if (typeof approver === 'string') {
        noteStep(request, 'not signed in', { clientId })
        return sendPage(reply, 400, signInPage(asked, action, approver))
      }
      noteStep(request, 'signed in', { clientId, keyId: approver.keyId })
      return sendDecisionPage(db, asked, action, approver, reply)
    }),
  )
}

/** Calls `respond` with the request in the query string, or sends a page that names its mistake. */
async function withRequest(
  { publicUrl }: ConsentOptions,
  findClient: FindClient,
  request: FastifyRequest,
  reply: FastifyReply,
  respond: (asked: Asked, action: string) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { search, searchParams } = new URL(request.url, 'http://localhost')
  let target: ResponseTarget | undefined
  try {
    target = await readTarget(searchParams, findClient, request)
    return await respond({ ...target, ...readRequest(searchParams, publicUrl()) }, search)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const { code, message } = error
    noteStep(request, 'refused', { clientId: target?.client.id, error: code, description: message })
    // Not a redirect: anybody can register a client, and would have a link to this service that leads elsewhere.
    // https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2
    const back = target && {
      href: addressOfAnswer(target, publicUrl(), { error: code, error_description: message }),
      name: describeTarget(target.redirectUri).name,
    }
    const status = code === 'temporarily_unavailable' ? 503 : 400
    addRetryAfter(reply, error, status)
    return sendPage(reply, status, failurePage(message, back))
  }
}

/** `iss` lets a client of several servers recognise who answers: https://www.rfc-editor.org/rfc/rfc9207 */
const addressOfAnswer = ({ redirectUri, state }: ResponseTarget, iss: string, parameters: Record<string, string>) =>
  withParameters(redirectUri, { ...parameters, state, iss })

async function sendDecisionPage(
  db: Db,
  asked: Asked,
  action: string,
  approver: Approver,
  reply: FastifyReply,
  problem?: string,
): Promise<FastifyReply> {
  const { userId } = approver
  const offer = { scopes: offeredScopes(asked.scopes, approver), accounts: await listAccounts(db, { userId }) }
  const proof = await createProof(db, approver, asked)
  // The scheme, because the address of the app may redirect further, and Chromium checks every step.
  reply.header('content-security-policy', pagePolicy(new URL(asked.redirectUri).protocol))
  return sendPage(reply, problem === undefined ? 200 : 400, decisionPage(asked, action, offer, proof, problem))
}

/** Sends the browser to the app with the decision of the person. */
async function sendAnswer(
  { db, publicUrl }: ConsentOptions,
  asked: Asked,
  action: string,
  request: FastifyRequest<{ Body: URLSearchParams }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { body } = request
  const decision = await inTransaction(db, async (db) => {
    const approver = await takeProof(db, body.get('proof')!, asked)
    if (!approver || body.get('decision') !== 'allow') return { approver }
    const granted = await readGrant(db, asked, approver, body)
    if (typeof granted === 'string') return { approver, problem: granted }
    const code = generateSecret('authorizationCode')
    await insertCode(db, { hash: hashKey(code), keyId: approver.keyId, ...granted })
    return { approver, code, scopes: granted.scopes }
  })
  const { approver, problem, code, scopes } = decision
  if (!approver) return sendPage(reply, 400, signInPage(asked, action, TOO_LATE))
  if (problem !== undefined) return sendDecisionPage(db, asked, action, approver, reply, problem)
  noteStep(request, code ? 'approved' : 'denied', { clientId: asked.client.id, keyId: approver.keyId, scopes })
  const parameters = code ? { code } : { error: 'access_denied' }
  return reply.redirect(addressOfAnswer(asked, publicUrl(), parameters), 303)
}

const TOO_LATE = 'This page was open for too long, was sent before, or belongs to another request. Please begin again.'

/** The scopes that a person can give the app: none beyond those of their own key. */
function offeredScopes(scopes: Scope[], approver: Approver): Scope[] {
  const offered = scopes.filter((scope) => hasScope(approver, scope))
  if (offered.length > 0) return offered
  throw new OAuthError('access_denied', 'Your key allows nothing of what the app asks for')
}

/** Reads the decision from the form. Returns the problem of one that is not clear. */
async function readGrant(db: Db, asked: Asked, approver: Approver, form: URLSearchParams) {
  const { client, redirectUri, codeChallenge, resource } = asked
  const offered = offeredScopes(asked.scopes, approver)
  const isPublishing = form.get('publish') === 'yes' && offered.includes('posts:publish')
  // An app that asks to publish gets drafts.
  const drafts = offered.map((scope): Scope => (scope === 'posts:publish' ? 'posts:write' : scope))
  const scopes = [...new Set(isPublishing ? offered : drafts)]
  const ticked = form.getAll('account')
  const isListed = form.get('accounts') === 'listed'
  if (isListed && ticked.length === 0) return 'Tick at least one account, or choose all accounts.'
  if (isListed) {
    const accounts = await listAccounts(db, { userId: approver.userId })
    if (!ticked.every((id) => accounts.some((account) => account.id === id))) {
      return 'One of the accounts is not connected any more. Choose again.'
    }
  }
  const accountIds = isListed ? [...new Set(ticked)] : null
  return { clientId: client.id, clientName: client.name, redirectUri, codeChallenge, resource, scopes, accountIds }
}

/**
 * Logs a step of OAuth with the id of its request. A client that fails says little about why; the steps show where it
 * has stopped.
 */
export function noteStep(request: FastifyRequest, step: string, facts: Record<string, unknown>): void {
  request.log.info({ reqId: request.id, step, ...facts }, 'oauth')
}
