import { connect } from '../../../db/client.ts'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import { createKeyring } from '../../../src/base/keyring/keyring.ts'
import { claimNextRefresh, type RefreshDeps, refreshTokens } from '../../../src/engine/credentials/refresh.ts'
import { createNetworks } from '../../../src/platforms/adapters.ts'
import type { OAuth } from '../../../src/platforms/contract/oauth.ts'
import { standardOAuth } from '../../../src/platforms/families/oauth/standard-oauth.ts'
import { noLog } from '../../helpers/log-record.ts'
import { scriptedNetwork } from '../../helpers/scripted-network.ts'
import { APP, type FromWorker, KEY, type ToWorker } from './protocol.ts'
import { LIFE_MS, NETWORKS, type Network } from './token-endpoint.ts'

/** A worker that refreshes tokens, and waits at each step until the test lets it continue. */
const [databaseUrl, endpoint] = process.argv.slice(2) as [string, string]

const send = (message: FromWorker) => process.send!(message)
let go = () => {}
const stopAt = (step: (FromWorker & { type: 'step' })['step']) =>
  new Promise<void>((resolve) => {
    go = resolve
    send({ type: 'step', step })
  })

/** Only the test advances it. */
let now = new Date(0)

function oauthOf(network: Network): OAuth {
  const oauth = standardOAuth({
    host: 'network.example',
    authorizationEndpoint: 'https://network.example/authorize',
    tokenEndpoint: 'https://network.example/token',
    authentication: 'basic',
    pkce: true,
    scopes: ['write'],
    requiredScopes: ['write'],
    afterLostResponse: NETWORKS[network],
    listAccounts: async () => [],
  })
  const { refresh } = oauth
  return {
    ...oauth,
    refresh: {
      ...refresh!,
      run: async (...call) => ({ ...(await refresh!.run(...call)), expiresAt: new Date(now.getTime() + LIFE_MS) }),
    },
  }
}

const db = connect({ url: databaseUrl, poolMax: 2 })
const ids = Object.keys(NETWORKS) as Network[]
const deps: RefreshDeps = {
  db,
  networks: {
    ...createNetworks(sandboxStore(db)),
    ...Object.fromEntries(ids.map((network) => [network, { ...scriptedNetwork(), oauth: oauthOf(network) }])),
  },
  keyring: createKeyring([KEY]),
  oauthApps: Object.fromEntries(ids.map((network) => [network, APP])),
  fetch: async (_url, init) => {
    await stopAt('calling')
    const response = await fetch(endpoint, { ...init, headers: { ...(init?.headers as object), connection: 'close' } })
    await stopAt('called')
    return response
  },
  clock: () => now,
  uptimeMs: () => 0,
  pause: async () => {},
  // The test decides when a worker ends.
  callMaxMs: 3_600_000,
  log: noLog,
  report: () => {},
}

async function work(): Promise<void> {
  for (let held = await claimNextRefresh(deps); held; held = await claimNextRefresh(deps)) {
    await stopAt('claimed')
    await refreshTokens(deps, held)
    await stopAt('stored')
  }
  send({ type: 'idle' })
}

process.on('message', (message: ToWorker) => {
  if (message.type === 'go') return go()
  now = new Date(message.now)
  work().catch((error) => send({ type: 'error', message: String(error.stack) }))
})
process.on('disconnect', () => process.exit())
send({ type: 'ready' })
