import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** What is used here of a package that is installed beside this file, and not where the types are checked. */
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

/**
 * Serves a PDS on loopback, and tells the parent where. In a process of its own, it is stopped by killing it, together
 * with whatever it still has open. What it keeps stands in the folder that it is given.
 *
 * Of better-sqlite3, package.json asks for 13 in place of the PDS's own 12, which has to be compiled, and aborts Node
 * 24.19 and later at any collection of garbage (https://github.com/NixOS/nixpkgs/issues/554101).
 */
const { PDS, envToCfg, envToSecrets }: PdsPackage = createRequire(import.meta.url)('@atproto/pds')

const [, , directory, jwtSecret, didPlcUrl, portWanted] = process.argv

// The PDS has to know its port before it exists, and would listen on every interface.
// On a busy machine, the first loading of @atproto/api takes longer than the 5 s after which Node closes what is idle.
const server = createServer({ keepAliveTimeout: 600_000 }).listen(Number(portWanted), '127.0.0.1')
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
