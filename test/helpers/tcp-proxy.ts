import { createConnection, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a Postgres server, which can fail in the ways in which networks do. */
export interface TcpProxy {
  /** Connection string of the database, through the proxy. */
  url: string
  /** Delays everything by `ms` from now on, in both directions. */
  delay(ms: number): void
  /** Resets every open connection. */
  reset(): void
  /**
   * Drops everything that is sent from now on, without notice to either end. New connections are accepted. Connections
   * that were open stay dead after `restore`.
   */
  dropAll(): void
  /** Ends the delay and the dropping, for new connections. */
  restore(): void
  close(): void
}

interface Pair {
  client: Socket
  server: Socket | undefined
  isDead: boolean
}

/** The address of the server of a connection string. */
export function upstreamOf(target: string): { path: string } | { host: string; port: number } {
  const { hostname, port, searchParams } = new URL(target)
  const folder = searchParams.get('host')
  return folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port || 5432}` }
    : { host: hostname, port: Number(port || 5432) }
}

/** Starts a proxy on the loopback address to the server of a connection string. */
export async function openTcpProxy(target: string): Promise<TcpProxy> {
  const { pathname, username, password } = new URL(target)
  const upstream = upstreamOf(target)
  const pairs = new Set<Pair>()
  let delayMs = 0
  let isDropping = false

  /** Forwards data in one direction, in order, and then the end. */
  function forward(pair: Pair, from: Socket, to: Socket) {
    const queue: { due: number; run: () => void }[] = []
    const pump = () => {
      const now = performance.now()
      while (queue.length > 0 && queue[0]!.due <= now) queue.shift()!.run()
      if (queue.length > 0) setTimeout(pump, Math.ceil(queue[0]!.due - now))
    }
    const afterDelay = (run: () => void) => {
      if (delayMs === 0 && queue.length === 0) run()
      else if (queue.push({ due: performance.now() + delayMs, run }) === 1) pump()
    }
    from.on('data', (chunk: Buffer) => {
      if (!pair.isDead) afterDelay(() => void to.write(chunk))
    })
    from.on('close', () =>
      afterDelay(() => {
        if (!pair.isDead) to.destroySoon()
        if (from.destroyed && to.destroyed) pairs.delete(pair)
      }),
    )
    from.on('error', () => {})
  }

  const listener = createServer({ noDelay: true }, (client) => {
    const pair: Pair = { client, server: undefined, isDead: isDropping }
    pairs.add(pair)
    if (isDropping) {
      client.on('error', () => {})
      client.on('close', () => pairs.delete(pair))
      client.resume()
      return
    }
    const server = createConnection({ ...upstream, noDelay: true })
    pair.server = server
    forward(pair, client, server)
    forward(pair, server, client)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address() as { port: number }
  const user = password ? `${username}:${password}` : username

  const destroyDead = () => {
    for (const { client, server, isDead } of pairs) {
      if (!isDead) continue
      client.destroy()
      server?.destroy()
    }
  }
  return {
    url: `postgresql://${user}@127.0.0.1:${address.port}${pathname}?sslmode=disable`,
    delay: (ms) => {
      delayMs = ms
    },
    reset: () => {
      for (const { client, server } of pairs) {
        client.resetAndDestroy()
        server?.destroy()
      }
    },
    dropAll: () => {
      // Connections that died in an earlier outage; by now their ends have had time to notice.
      destroyDead()
      isDropping = true
      for (const pair of pairs) pair.isDead = true
    },
    restore: () => {
      isDropping = false
      delayMs = 0
    },
    close: () => {
      listener.close()
      for (const pair of pairs) pair.isDead = true
      destroyDead()
    },
  }
}
