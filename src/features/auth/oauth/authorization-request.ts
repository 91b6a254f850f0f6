import type { FastifyRequest } from 'fastify'
import { SCOPE_NAMES, type Scope } from '../../../../schemas/scopes.ts'
import { RESOURCES } from '../resource.ts'
import { APP_SCOPES, DEFAULT_SCOPES } from './addresses.ts'
import type { FindClient, OAuthClient } from './clients.ts'
import { OAuthError } from './oauth-error.ts'
import { readParameter, requireParameter } from './parameters.ts'
import { findRedirectProblem, isRegistered } from './redirect-uri.ts'

/** The request of a client: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1#section-4.1.1 */
interface AuthorizationRequest {
  codeChallenge: string
  resource: string
  /** The scopes that an app can get, of those that the client asks for. */
  scopes: Scope[]
}

/** The receiver of the response. It is known before the rest of the request is checked. */
export interface ResponseTarget {
  client: OAuthClient
  redirectUri: string
  state: string | undefined
}

/** The whole request, as the person sees it. */
export type Asked = AuthorizationRequest & ResponseTarget

/**
 * Reads the client and its redirect URI. Throws an OAuthError that only the person may see: it must not be sent to a
 * redirect URI that is not the client's.
 */
export async function readTarget(
  parameters: URLSearchParams,
  find: FindClient,
  request: FastifyRequest,
): Promise<ResponseTarget> {
  const client = await find(requireParameter(parameters, 'client_id'), request)
  const redirectUri = requireParameter(parameters, 'redirect_uri')
  if (!isRegistered(client.redirectUris, redirectUri)) {
    throw new OAuthError('invalid_request', 'redirect_uri matches no address that the app has registered')
  }
  // It may have been registered with an earlier version.
  const problem = findRedirectProblem(redirectUri)
  if (problem) throw new OAuthError('invalid_request', `redirect_uri ${problem}`)
  return { client, redirectUri, state: readParameter(parameters, 'state') }
}

/** Reads the rest of the request. Throws an OAuthError for the client. */
export function readRequest(parameters: URLSearchParams, issuer: string): AuthorizationRequest {
  if (readParameter(parameters, 'request')) refuse('request_not_supported', 'request is not supported: leave it out')
  if (readParameter(parameters, 'request_uri')) {
    refuse('request_uri_not_supported', 'request_uri is not supported: leave it out')
  }
  if (requireParameter(parameters, 'response_type') !== 'code') {
    refuse('unsupported_response_type', 'response_type must be code')
  }
  if ((readParameter(parameters, 'response_mode') ?? 'query') !== 'query') {
    refuse('invalid_request', 'response_mode must be query')
  }
  if (readParameter(parameters, 'prompt') === 'none') {
    refuse('interaction_required', 'prompt must not be none: a person has to approve')
  }
  if (readParameter(parameters, 'code_challenge_method') !== 'S256') {
    refuse('invalid_request', 'code_challenge_method must be S256')
  }
  const codeChallenge = requireParameter(parameters, 'code_challenge')
  // SHA-256 in base64url: https://www.rfc-editor.org/rfc/rfc7636#section-4.2
  if (!/^[\w-]{43}$/.test(codeChallenge))
    refuse('invalid_request', 'code_challenge must have 43 characters of base64url')
  return { codeChallenge, resource: readResource(parameters, issuer), scopes: readScopes(parameters) }
}

/**
 * The address of the service that the tokens are for: https://www.rfc-editor.org/rfc/rfc8707#section-2. Clients of
 * earlier versions of MCP send none.
 */
export function readResource(parameters: URLSearchParams, issuer: string): string {
  const resource = readParameter(parameters, 'resource')
  const known: string[] = RESOURCES.map((path) => `${issuer}${path}`)
  if (resource === undefined) return known[0]!
  // The host in capitals, or a slash at the end, mean the same.
  const href = URL.parse(resource)?.href.replace(/\/$/, '')
  if (href === undefined || !known.includes(href)) refuse('invalid_target', `resource must be ${known.join(' or ')}`)
  return href
}

/**
 * Scopes of other services, such as `openid`, are ignored: the response of the token request has those that hold.
 * Without any other, these are the default ones.
 */
function readScopes(parameters: URLSearchParams): Scope[] {
  const wanted = readParameter(parameters, 'scope')?.split(' ').filter(isScope) ?? []
  if (wanted.length === 0) return [...DEFAULT_SCOPES]
  const scopes = APP_SCOPES.filter((scope) => wanted.includes(scope))
  return scopes.length > 0 ? scopes : refuse('invalid_scope', 'scope has only scopes that apps cannot get')
}

/** Whether a scope is one of this service. */
export const isScope = (scope: string): scope is Scope => (SCOPE_NAMES as string[]).includes(scope)

function refuse(code: ConstructorParameters<typeof OAuthError>[0], description: string): never {
  throw new OAuthError(code, description)
}
