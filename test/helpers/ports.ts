import { createServer } from 'node:net'

/**
 * Below the ports that Linux and macOS choose for `listen(0)` and outgoing connections, so that no process takes one of
 * them in between.
 */
const RANGE = { first: 15_000, last: 30_000 }
const ATTEMPTS_MAX = 1_000

/** Different ports of the loopback address that no process listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  for (let attempt = 0; ports.size < count; attempt++) {
    if (attempt === ATTEMPTS_MAX) throw new Error(`No ${count} free ports after ${ATTEMPTS_MAX} attempts`)
    const port = RANGE.first + Math.floor(Math.random() * (RANGE.last - RANGE.first))
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
