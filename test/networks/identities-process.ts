import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

/** The part of @did-plc/server that is used here. The package is not installed where types are checked. */
interface PlcPackage {
  PlcServer: { create(options: { db: object }): { app: RequestListener } }
  Database: { mock(): object }
}

/*
 * Serves a directory of identities (PLC) on a free port of the loopback address, and sends its address to the parent.
 * It keeps them in memory, in a process of its own: they have to survive a PDS that is killed and started again.
 */
const { PlcServer, Database }: PlcPackage = createRequire(import.meta.url)('@did-plc/server')

const server = createServer(PlcServer.create({ db: Database.mock() }).app).listen(0, '127.0.0.1')
await once(server, 'listening')

process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
