import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../../../db/client.ts'
import { newId } from '../../../../db/id.ts'
import { insertClient } from '../../../../db/queries/oauth/clients.ts'
import { RateLimited } from '../../../base/errors.ts'
import { addRetryAfter, toPublicError } from '../../../base/http/errors.ts'
import { logFailure } from '../../../base/http/log-failure.ts'
import { FORM_TYPE, readForms, useStrangersShare } from '../../../base/http/pages.ts'
import { createRoom } from '../../../base/http/room.ts'
import { createNetworkLimit, type NoteFailedKey } from '../failed-keys.ts'
import { RESOURCES } from '../resource.ts'
import { PATHS, resourceMetadata, serverMetadata } from './addresses.ts'
import { readClientMetadata } from './client-metadata.ts'
import { isKnownClient, unknownClient } from './clients.ts'
import { noteStep } from './consent.ts'
import { OAuthError } from './oauth-error.ts'
import { requireParameter } from './parameters.ts'
import { exchangeCode, type Outcome, refresh, revokeToken } from './tokens.ts'

interface OAuthOptions {
  db: Db
  /** The address of this service, which is also the name of the issuer. */
  publicUrl(): string
  noteFailedKey: NoteFailedKey
  /** Whether the operator names the proxies in front. */
  knowsAddresses: boolean
}

/** Clients that one network, or all of them, may register with a process in an hour. */
const REGISTRATIONS = { perNetwork: 20, all: 1_000, windowMs: 3_600_000 }
/** How many unapproved clients an installation keeps. They expire after a day. */
const UNUSED_CLIENTS_MAX = 1_000
const REGISTRATION_BYTES_MAX = 16_384

/** The endpoints that programs call. Every client is a public one, which proves itself by PKCE alone. */
export async function oauth(app: FastifyInstance, options: OAuthOptions): Promise<void> {
  speakToPrograms(app)
  // A page asks before it sends a header of its own.
  for (const url of ['/oauth/:endpoint', '/.well-known/*'])
    app.options(url, json, (_request, reply) => reply.code(204).send())
  await app.register(metadata, options)
  await app.register(registration, options)
  await app.register(tokens, options)
}

const json = { schema: { hide: true } }

async function metadata(app: FastifyInstance, { publicUrl }: OAuthOptions): Promise<void> {
  const describe = (url: string, read: () => object) =>
    app.get(url, json, async (request) => {
      noteStep(request, 'metadata', {})
      return read()
    })
  describe('/.well-known/oauth-authorization-server', () => serverMetadata(publicUrl()))
  // Some clients look there by themselves, without the address in the 401 of /mcp.
  describe('/.well-known/oauth-protected-resource', () => resourceMetadata(publicUrl(), '/mcp'))
  for (const path of RESOURCES) {
    describe(`/.well-known/oauth-protected-resource${path}`, () => resourceMetadata(publicUrl(), path))
  }
}

async function registration(app: FastifyInstance, { db, knowsAddresses }: OAuthOptions): Promise<void> {
  app.addHook('onRequest', useStrangersShare)
  const registrations = createNetworkLimit(REGISTRATIONS, { knowsAddresses })
  const route = { schema: { hide: true, body: Type.Object({}) }, bodyLimit: REGISTRATION_BYTES_MAX }
  // https://www.rfc-editor.org/rfc/rfc7591#section-3
  app.post(PATHS.register, route, async (request, reply) => {
    const { isTaken, retryAfterSeconds } = registrations.take(request)
    if (!isTaken) throw new RateLimited('rate_limited', retryAfterSeconds)
    const { name, redirectUris } = readClientMetadata(request.body as Record<string, unknown>)
    const id = newId()
    await insertClient(db, { id, name, redirectUris }, UNUSED_CLIENTS_MAX)
    noteStep(request, 'registered', { clientId: id })
    return reply.code(201).send({
      client_id: id,
      client_id_issued_at: Math.floor(Date.now() / 1_000),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })
  })
}

async function tokens(app: FastifyInstance, { db, publicUrl, noteFailedKey }: OAuthOptions): Promise<void> {
  readForms(app)
  const route = { schema: { hide: true, consumes: [FORM_TYPE], body: Type.Object({}) } }
  // One at a time for each code or token: the others would wait for its row, each with a connection.
  const exchanges = createRoom({ perOwner: 1 })

  app.post<{ Body: URLSearchParams }>(PATHS.token, route, async (request) => {
    const form = request.body
    const clientId = readClientId(request)
    const grantType = requireParameter(form, 'grant_type')
    const exchange = GRANTS.get(grantType)
    if (!exchange) {
      throw new OAuthError('unsupported_grant_type', `grant_type must be ${[...GRANTS.keys()].join(' or ')}`)
    }
    const leave = await exchanges.take(form.get('code') ?? form.get('refresh_token') ?? '', 1)
    const result = (async () => exchange(db, form, clientId, publicUrl()))().finally(leave)
    const { keyId, misuse, response } = await result.catch(async (error) => {
      const isInvalid = error instanceof OAuthError && error.code === 'invalid_grant'
      if (isInvalid) noteFailedKey(request)
      throw isInvalid && !(await isKnownClient(db, clientId)) ? unknownClient() : error
    })
    noteStep(request, misuse === undefined ? grantType : 'grant ended', { clientId, keyId, misuse })
    if (!response)
      throw new OAuthError('invalid_grant', `${misuse}: the access was ended, ask the person to approve again`)
    return response
  })

  app.post<{ Body: URLSearchParams }>(PATHS.revoke, route, async (request, reply) => {
    const clientId = readClientId(request)
    const keyId = await revokeToken(db, request.body, clientId)
    noteStep(request, 'revoked', { clientId, keyId })
    return reply.send()
  })
}

type Exchange = (db: Db, form: URLSearchParams, clientId: string, issuer: string) => Promise<Outcome>

const GRANTS = new Map<string, Exchange>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refresh],
])

/**
 * The client that a request names, in its form or as a user name. A secret beside it is ignored: this service issues
 * none, and some clients send one anyway.
 */
function readClientId({ body, headers: { authorization = '' } }: FastifyRequest<{ Body: URLSearchParams }>): string {
  const basic = /^basic +([\w+/=-]+)$/i.exec(authorization)?.[1]
  if (basic === undefined || body.has('client_id')) return requireParameter(body, 'client_id')
  const [id = ''] = Buffer.from(basic, 'base64').toString().split(':')
  try {
    return decodeURIComponent(id)
  } catch {
    throw new OAuthError('invalid_client', 'The user name of Authorization must be the client_id, percent-encoded')
  }
}

/** Lets pages of any origin call the endpoints, which know no cookies, and sends errors as OAuth has them. */
function speakToPrograms(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
      'access-control-allow-methods': 'GET, POST',
      'cross-origin-resource-policy': 'cross-origin',
    })
    done()
  })
  app.setErrorHandler((error, request, reply) => sendOAuthError(error, request, reply))
}

function sendOAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { known, status, code, description } = toOAuthError(error, request)
  if (status >= 500 && !(error instanceof OAuthError)) {
    logFailure(request, error, status === 503 ? known?.code : undefined)
  }
  noteStep(request, 'refused', { error: code, description })
  addRetryAfter(reply, error, status)
  return reply.code(status).send({ error: code, error_description: description })
}

function toOAuthError(error: unknown, request: FastifyRequest) {
  if (error instanceof OAuthError) {
    return { known: undefined, status: error.status, code: error.code, description: error.message }
  }
  const known = toPublicError(error, request)
  const status = known?.statusCode ?? 500
  const code = status >= 500 ? 'server_error' : status === 429 ? 'temporarily_unavailable' : 'invalid_request'
  const description = known?.details?.[0]?.message ?? known?.message ?? 'The service has failed: try again in a while'
  return { known, status, code, description }
}
