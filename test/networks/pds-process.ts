import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** The part of @atproto/pds that is used here. The package is not installed where types are checked. */
interface PdsPackage {
  PDS: {
    create(
      config: object,
      secrets: object,
    ): Promise<{ app: RequestListener; ctx: { sequencer: { start(): Promise<void> } } }>
  }
  envToCfg(env: object): object
  envToSecrets(env: object): object
}

/*
 * Serves a PDS on the loopback address, and sends its address to the parent. In a process of its own, so that a test
 * can kill it. Its data is in the folder of the first argument.
 *
 * package.json overrides better-sqlite3 12 of the PDS by 13. Version 12 has to be compiled, and aborts Node 24.19 and
 * later during garbage collection: https://github.com/NixOS/nixpkgs/issues/554101.
 */
const { PDS, envToCfg, envToSecrets }: PdsPackage = createRequire(import.meta.url)('@atproto/pds')

const [, , directory, jwtSecret, didPlcUrl, portArgument, clientUrl, clientAddress] = process.argv

/** The PDS reads the document of a client from a public https address. Here, that is a server on this machine. */
const { fetch } = globalThis
globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input)
  return url.startsWith(`${clientUrl}/`) ? fetch(url.replace(clientUrl!, clientAddress!)) : fetch(input, init)
}

// A server of our own: the PDS would listen on every interface.
// On a busy machine, the first import of @atproto/api takes longer than Node's default keep-alive timeout of 5 s.
const server = createServer({ keepAliveTimeout: 600_000 }).listen(Number(portArgument), '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const env = {
  devMode: true,
  port,
  hostname: 'localhost',
  dataDirectory: directory,
  blobstoreDiskLocation: join(directory!, 'blobs'),
  didPlcUrl,
  serviceHandleDomains: ['.test'],
  inviteRequired: false,
  adminPassword: 'admin',
  jwtSecret,
  dpopSecret: '0'.repeat(64),
  plcRotationKeyK256PrivateKeyHex: '1'.repeat(64),
  bskyAppViewUrl: 'https://appview.invalid',
  bskyAppViewDid: 'did:web:appview.invalid',
  modServiceUrl: 'https://moderation.invalid',
  modServiceDid: 'did:web:moderation.invalid',
  crawlers: [],
  disableSsrfProtection: true,
  rateLimitsEnabled: false,
}
const pds = await PDS.create(envToCfg(env), envToSecrets(env))
await pds.ctx.sequencer.start()
server.on('request', pds.app)

process.send!({ url: `http://localhost:${port}` })
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
