import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { OAuth } from '../../../src/platforms/contract/oauth.ts'
import type { Teardown } from '../../helpers/database.ts'

/** How long an access token lives, by the clock of the workers. */
export const LIFE_MS = 7_200_000

export const NETWORKS = {
  linkedin: 'repeatable',
  threads: 'single-use',
  x: 'revokes-reuse',
} as const satisfies Partial<Record<PlatformId, NonNullable<OAuth['refresh']>['afterLostResponse']>>

export type Network = keyof typeof NETWORKS

/** The tokens of one consent. */
export interface Family {
  network: Network
  refreshToken: string
  /** When the access token expires that came with it. */
  expiresAt: number
  /** Refresh tokens that were replaced, in the same way. */
  spent: Map<string, number>
  isRevoked: boolean
}

interface TokenEndpoint {
  address: string
  families: Family[]
  /** Grants the tokens of a new consent. */
  grant(network: Network): Family
  /** Number of calls. */
  calls: number
  /** Violations of the rules for workers. */
  breaches: string[]
  /** Awaited when a call has taken effect, before the response. */
  beforeResponse: () => unknown
  connections(): Promise<number>
}

/**
 * A token endpoint that replaces tokens as its networks do. `linkedin` gives the same refresh token back. `threads`
 * refuses a spent one. `x` revokes all tokens of the consent if a spent one is used.
 */
export async function startTokenEndpoint(t: Teardown, now: () => number): Promise<TokenEndpoint> {
  const server = createServer()
  let count = 0
  const underWay = new Set<string>()
  const endpoint: TokenEndpoint = {
    address: '',
    families: [],
    calls: 0,
    breaches: [],
    beforeResponse: () => {},
    connections: promisify(server.getConnections.bind(server)),
    grant(network) {
      const family = { network, refreshToken: `${network}-${++count}`, expiresAt: now() + LIFE_MS }
      endpoint.families.push({ ...family, spent: new Map(), isRevoked: false })
      return endpoint.families.at(-1)!
    },
  }

  /** Returns the new tokens; undefined refuses. */
  function refresh(token: string): object | undefined {
    const family = endpoint.families.find(({ refreshToken, spent }) => refreshToken === token || spent.has(token))
    if (!family || family.isRevoked) return undefined
    if (family.refreshToken !== token) {
      if (family.network === 'x') {
        if (family.spent.get(token)! > now())
          endpoint.breaches.push(`${token} was used again, which revoked an access token`)
        family.isRevoked = true
      }
      return undefined
    }
    if (family.network !== 'linkedin') {
      family.spent.set(token, family.expiresAt)
      family.refreshToken = `${family.network}-${++count}`
    }
    family.expiresAt = now() + LIFE_MS
    return {
      token_type: 'bearer',
      access_token: `access-${++count}`,
      refresh_token: family.refreshToken,
      expires_in: 7_200,
    }
  }

  server.on('request', async (request, response) => {
    const token = new URLSearchParams(await text(request)).get('refresh_token') ?? ''
    endpoint.calls++
    if (underWay.has(token)) endpoint.breaches.push(`two calls with ${token} at a time`)
    underWay.add(token)
    const tokens = refresh(token)
    await endpoint.beforeResponse()
    underWay.delete(token)
    response.writeHead(tokens ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(tokens ?? { error: 'invalid_grant' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endpoint.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.teardown(async () => {
    server.closeAllConnections()
    await promisify(server.close.bind(server))()
  })
  return endpoint
}
