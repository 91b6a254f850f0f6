import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Act, Adapter } from '../../../src/platforms/contract/adapter.ts'
import { findGuarantees } from '../../../src/platforms/contract/guarantee.ts'
import { PublishError } from '../../../src/platforms/contract/publish-error.ts'
import { platforms } from '../../../src/platforms/limits.ts'
import type { Teardown } from '../../helpers/database.ts'

/** One network of each guarantee. */
export const IDS = ['threads', 'telegram', 'bluesky'] as const
export type NetworkId = (typeof IDS)[number]

/** The guarantee of the catalogue for posts and comments alike. */
export const ruleOf = (id: NetworkId) => findGuarantees(platforms[id], 'comment')[0]!.rule

/** Milliseconds between a call and its response: with 16 calls at a time on each network, about 500 posts a second. */
const LATENCY_MS = { min: 20, max: 160 }

export interface FakeNetworks {
  url: string
  /** How often each text was made visible, by `NETWORK TEXT`. */
  shown: Map<string, number>
  /** Waits until no connection is left: a killed worker's calls have arrived. */
  settled(): Promise<boolean>
}

/** Starts the networks as one server, which counts what it shows. */
export async function startNetworks(t: Teardown): Promise<FakeNetworks> {
  const shown = new Map<string, number>()
  /** The ids of what is shown, by name: an exactly-once network shows a name once. */
  const ids = new Map<string, string>()
  const publish = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { name, text } = JSON.parse(body)
    const isRepeated = request.url === '/bluesky' && ids.has(name)
    if (!isRepeated) {
      const key = `${request.url!.slice(1)} ${text}`
      shown.set(key, (shown.get(key) ?? 0) + 1)
      ids.set(name, `n${ids.size + 1}`)
    }
    setTimeout(() => response.end(ids.get(name)), randomInt(LATENCY_MS.min, LATENCY_MS.max))
  }
  const server = createServer((request, response) => {
    if (request.method === 'POST') return void publish(request, response)
    const id = ids.get(decodeURIComponent(request.url!.split('?')[1]!))
    response.writeHead(id ? 200 : 404).end(id)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const connections = () =>
    new Promise<number>((resolve) => void server.getConnections((_error, count) => resolve(count)))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, shown, settled: async () => (await connections()) === 0 }
}

/** Adapters that publish to the server at `url`. */
export const createAdapters = (url: string): Record<NetworkId, Adapter> => ({
  threads: createAdapter(url, 'threads'),
  telegram: createAdapter(url, 'telegram'),
  bluesky: createAdapter(url, 'bluesky'),
})

function createAdapter(url: string, network: NetworkId): Adapter {
  const { guarantee } = ruleOf(network)
  const sent = (id: string) => ({ id, url: `https://${network}.example/${id}` })
  return {
    guarantee,
    concurrency: 16,
    identify: async () => ({ externalId: '1', username: 'ada', displayName: null }),
    prepare: async () => ({ ready: null }),
    async publish(act) {
      const body = JSON.stringify({ name: nameOf(network, act), text: act.text })
      const response = await call(`${url}/${network}`, { method: 'POST', body }, true)
      return sent(await response.text())
    },
    ...(guarantee !== 'at-most-once' && {
      async reconcile(act: Act) {
        const response = await call(`${url}/${network}?${encodeURIComponent(nameOf(network, act))}`, {}, false)
        const id = await response.text()
        return response.ok ? sent(id) : 'absent'
      },
    }),
  }
}

/** The identity of an act: on a network that is searched, its text. */
const nameOf = (network: NetworkId, { token, startedAt, text }: Act) =>
  network === 'bluesky' ? `${token} ${startedAt.getTime()}` : `${network} ${text}`

/** Keep-alive is off, so that the server sees by its connections that the last call of a killed worker has ended. */
const call = (url: string, init: RequestInit, maybeSent: boolean): Promise<Response> =>
  fetch(url, { ...init, headers: { connection: 'close' } }).catch(() => {
    throw new PublishError('network.example: no response', { code: 'unreachable', maybeSent, retryable: true })
  })
