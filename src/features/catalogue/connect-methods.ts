import { CONNECT_CREDENTIALS, CONNECT_VARIANTS } from '../../../schemas/connect.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { ConnectMethod } from '../../../schemas/platform-detail.ts'
import type { Networks } from '../../platforms/adapters.ts'
import type { OAuth } from '../../platforms/contract/oauth.ts'
import { DIALECT, type JsonSchema } from './fields-schema.ts'

/** How accounts of a network are connected. */
export function listConnectMethods(platform: PlatformId, networks: Networks): ConnectMethod[] {
  const network = networks[platform]
  const credentials = findCredentials(platform)
  return [
    ...(credentials ? [{ method: 'credentials' as const, credentials }] : []),
    ...(network.oauth ? [describeOAuth(network.oauth)] : []),
  ]
}

/** The schema of the credentials that `connectAccount` takes. */
function findCredentials(platform: PlatformId): JsonSchema | undefined {
  const variant = CONNECT_VARIANTS.find(({ properties }) => properties.platform.const === platform)
  const name = variant?.properties.credentials.$ref as string | undefined
  const schema = CONNECT_CREDENTIALS.find(({ $id }) => $id === name)
  if (!schema) return undefined
  // JSON has none of TypeBox's symbols. The id is a name in the OpenAPI document.
  const { $id, ...plain } = JSON.parse(JSON.stringify(schema)) as JsonSchema
  return { $schema: DIALECT, ...plain }
}

const describeOAuth = ({ scopes, requiredScopes, registration, hintProblem }: OAuth): ConnectMethod => ({
  method: 'oauth',
  scopes: [...scopes],
  requiredScopes: [...requiredScopes],
  hint: registration ? 'required' : hintProblem ? 'optional' : 'ignored',
})
