import { readFileSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { upstreamOf } from './tcp-proxy.ts'

/** The certificate of the front, for `localhost`, and its own authority. */
export const CERTIFICATE = new URL('../samples/tls/database.pem', import.meta.url).pathname

const SSL_REQUEST_BYTES = 8

/** The error of PostgreSQL for a client without TLS if its pg_hba.conf has `hostssl` alone. */
const REFUSAL = Buffer.from(
  'E\0\0\0\0SFATAL\0C28000\0Mno pg_hba.conf entry for host "127.0.0.1", user "a", database "b", no encryption\0\0',
  'latin1',
)
REFUSAL.writeInt32BE(REFUSAL.length - 1, 1)

/** Listens in front of the server of a connection string, with TLS alone. Returns the port. */
export async function openTlsFront(t: Test, target: string): Promise<number> {
  const pem = readFileSync(CERTIFICATE)
  const secureContext = createSecureContext({ cert: pem, key: pem })
  const upstream = upstreamOf(target)
  const sockets = new Set<Socket>()
  const track = <S extends Socket>(socket: S): S => {
    sockets.add(socket)
    return socket.on('error', () => {}) as S
  }
  const server = createServer((client) => {
    track(client).once('data', (first: Buffer) => {
      if (first.length !== SSL_REQUEST_BYTES) {
        client.end(REFUSAL)
        return
      }
      client.write('S')
      const secure = track(new TLSSocket(client, { isServer: true, secureContext }))
      const database = track(createConnection(upstream))
      secure.pipe(database).pipe(secure)
      secure.on('close', () => database.destroy())
      database.on('close', () => secure.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}
