import { SCOPE_NAMES, type Scope } from '../../../../schemas/scopes.ts'
import type { Resource } from '../resource.ts'

/** Paths of the authorization server, below `PUBLIC_URL`. */
export const PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** An app must not make keys: they would outlive it. */
const isGivable = (scope: Scope) => scope !== 'admin' && scope !== 'keys:manage'

/** The scopes that an app can get. */
export const APP_SCOPES: readonly Scope[] = SCOPE_NAMES.filter(isGivable)

/** The scopes of a client that asks for none: those that the tools of agents need. */
export const DEFAULT_SCOPES: readonly Scope[] = [
  ...(['accounts:read', 'posts:read', 'posts:write', 'posts:publish', 'media:read', 'media:write'] as const),
]

/** https://www.rfc-editor.org/rfc/rfc8414#section-2 */
export const serverMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}${PATHS.authorize}`,
  token_endpoint: `${issuer}${PATHS.token}`,
  registration_endpoint: `${issuer}${PATHS.register}`,
  revocation_endpoint: `${issuer}${PATHS.revoke}`,
  scopes_supported: APP_SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${issuer}/docs`,
})

/** https://www.rfc-editor.org/rfc/rfc9728#section-2 */
export const resourceMetadata = (issuer: string, path: Resource) => ({
  resource: `${issuer}${path}`,
  authorization_servers: [issuer],
  scopes_supported: DEFAULT_SCOPES,
  bearer_methods_supported: ['header'],
  resource_name: 'Postroom',
  resource_documentation: `${issuer}/docs`,
})
