import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** What is used here of two packages that are installed beside this file, and not where the types are checked. */
interface Packages {
  '@did-plc/server': {
    PlcServer: { create(options: { db: object }): { app: RequestListener } }
    Database: { mock(): object }
  }
  '@atproto/pds': {
    PDS: {
      create(
        config: object,
        secrets: object,
      ): Promise<{ app: RequestListener; ctx: { sequencer: { start(): Promise<void> } } }>
    }
    envToCfg(env: object): object
    envToSecrets(env: object): object
  }
}

/**
 * Serves a directory of identities (PLC) and a PDS that uses it, both on free ports of loopback, and tells the parent
 * where. In a process of its own, it is stopped by killing it, together with whatever it still has open. What it keeps
 * stands in the folder that it is given.
 *
 * Of better-sqlite3, package.json asks for 13 in place of the PDS's own 12, which has to be compiled, and aborts Node
 * 24.19 and later at any collection of garbage (https://github.com/NixOS/nixpkgs/issues/554101).
 */
const require = createRequire(import.meta.url)
const load = <Name extends keyof Packages>(name: Name): Packages[Name] => require(name)

const [, , directory, jwtSecret] = process.argv
const { PlcServer, Database } = load('@did-plc/server')
const { PDS, envToCfg, envToSecrets } = load('@atproto/pds')

// The PDS has to know its port before it exists, and would listen on every interface.
async function listen() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

const directoryOfIdentities = await listen()
directoryOfIdentities.server.on('request', PlcServer.create({ db: Database.mock() }).app)

const { server, port } = await listen()
const env = {
  devMode: true,
  port,
  hostname: 'localhost',
  dataDirectory: directory,
  blobstoreDiskLocation: join(directory!, 'blobs'),
  didPlcUrl: `http://127.0.0.1:${directoryOfIdentities.port}`,
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
