import { type TSchema, Type } from '@sinclair/typebox'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Network } from '../../platforms/contract/network.ts'
import type { OAuthApp } from '../../platforms/contract/oauth.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { ConfigError } from './formats.ts'

type AppVariable = `${string}_CLIENT_${'ID' | 'SECRET' | 'KEY'}`

export type AppVariables = { readonly [name in AppVariable]?: string }

export type Apps = Partial<Record<PlatformId, OAuthApp>>

const networks = Object.entries(NETWORKS) as [PlatformId, Network][]

/** The variables of apps, by which accounts are connected. Their names begin with the id of the network. */
export const APP_VARIABLES: Record<AppVariable, TSchema> = Object.fromEntries(
  networks.flatMap(([id, network]): [AppVariable, TSchema][] => {
    const name = id.toUpperCase()
    if (network.client) {
      const { keyDescription: description } = network.client
      const key = Type.String({ format: 'credentials-keys', writeOnly: true, description })
      return [[`${name}_CLIENT_KEY`, Type.Optional(key)]]
    }
    if (!network.tokens) return []
    const description = `[App](src/features/connections/README.md#apps) that accounts on ${network.name} are connected with.`
    const secret = Type.String({ writeOnly: true, description: `Secret of \`${name}_CLIENT_ID\`.` })
    return [
      [`${name}_CLIENT_ID`, Type.Optional(Type.String({ description }))],
      [`${name}_CLIENT_SECRET`, Type.Optional(secret)],
    ]
  }),
)

/** The apps of the deployment. Throws a ConfigError if a secret has no id. */
export function readApps(variables: AppVariables & { PUBLIC_URL?: string }): Apps {
  const apps: Apps = {}
  for (const [id, { client }] of networks) {
    const name = id.toUpperCase()
    const { [`${name}_CLIENT_ID` as const]: clientId, [`${name}_CLIENT_SECRET` as const]: clientSecret } = variables
    const app = client?.appAt(variables.PUBLIC_URL, variables[`${name}_CLIENT_KEY`])
    if (app) apps[id] = app
    else if (clientId) apps[id] = { clientId, clientSecret: clientSecret ?? null }
    else if (clientSecret) throw new ConfigError(`${name}_CLIENT_ID must be set together with ${name}_CLIENT_SECRET`)
  }
  return apps
}
