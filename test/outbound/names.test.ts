import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { resolveName } from '../../src/base/outbound/names.ts'
import { connectionError } from '../../src/platforms/wire/call-network.ts'
import { createWebhookWorld } from '../webhooks/scene.ts'

/** Resolves names at a server that responds to every query with this code, or not at all. */
async function resolveAt(t: Test, responseCode: number | undefined) {
  const server = createSocket('udp4')
  server.on('message', (query, { port }) => {
    if (responseCode === undefined) return
    const response = Buffer.from(query)
    // https://www.rfc-editor.org/rfc/rfc1035#section-4.1.1
    response[2]! |= 0x80
    response[3] = responseCode
    server.send(response, port, '127.0.0.1')
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const resolver = new Resolver({ timeout: 200, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  return { resolve: (hostname: string) => resolveName(hostname, resolver) }
}

const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME, REFUSED] = [0, 2, 3, 5]

/** The message to the owner of an account on this host. */
const connect = (client: ReturnType<typeof createPublicClient>, host: string) =>
  client.fetch(`https://${host}/`).then(
    () => undefined,
    (error) => connectionError(error, host).message,
  )

t.test('a name that does not exist is told from a name server that fails', async (t) => {
  const unknown = 'mastodon.example does not resolve to a public address: check its spelling (ENOTFOUND)'
  const failed = 'mastodon.example could not be reached (EAI_AGAIN)'
  for (const [code, message] of [
    [NO_ERROR, unknown],
    [NO_SUCH_NAME, unknown],
    [SERVER_FAILURE, failed],
    [REFUSED, failed],
    [undefined, failed],
  ] as const) {
    const client = createPublicClient(await resolveAt(t, code))
    t.equal(await connect(client, 'mastodon.example'), message, `response code ${code}`)
  }
})

t.test('no name server is asked for localhost', async (t) => {
  const client = createPublicClient(await resolveAt(t, SERVER_FAILURE))
  for (const host of ['localhost', 'a.localhost']) t.match(await connect(client, host), 'ENOTFOUND')
})

t.test('a webhook is stored while no name server responds: each attempt checks its host', async (t) => {
  const { isReachable } = createPublicClient(await resolveAt(t, SERVER_FAILURE))
  const { ada } = await createWebhookWorld(t, { webhookUrls: { allowsHttp: false, isReachable } })
  t.equal((await ada.call('POST', '/webhooks', { url: 'https://hooks.example/a' })).status, 201)
  t.equal((await ada.call('POST', '/webhooks', { url: 'https://10.0.0.1/a' })).status, 400)
})
