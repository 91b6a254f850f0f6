import { createConnection, createServer, type Socket } from 'node:net'

/** A TCP link to a Postgres server that can be made to fail in the ways in which networks do. */
export interface Link {
  /** The database at its other end, by way of it. */
  url: string
  /** Brings everything `ms` later from now on, each way. */
  delay(ms: number): void
  /** Ends every connection with a reset. */
  reset(): void
  /**
   * From now on, nothing that is sent arrives, though connections are taken, until `pass`. The connections that there are
   * by then stay dead; neither end hears of it.
   */
  swallow(): void
  pass(): void
  close(): void
}

interface Pair {
  client: Socket
  server: Socket | undefined
  isDead: boolean
}

/** A link on loopback to the server that `target` names. */
export async function openLink(target: string): Promise<Link> {
  const { pathname, username, password, hostname, port, searchParams } = new URL(target)
  const folder = searchParams.get('host')
  const to = folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port || 5432}` }
    : { host: hostname, port: Number(port || 5432) }
  const pairs = new Set<Pair>()
  let delayMs = 0
  let isSwallowing = false

  /** Forwards what comes from one end to the other, in order. */
  function forward(pair: Pair, from: Socket, other: Socket) {
    const queue: { due: number; chunk: Buffer }[] = []
    const pump = () => {
      const now = performance.now()
      while (queue.length > 0 && queue[0]!.due <= now) other.write(queue.shift()!.chunk)
      if (queue.length > 0) setTimeout(pump, Math.ceil(queue[0]!.due - now))
    }
    from.on('data', (chunk: Buffer) => {
      if (pair.isDead) return
      if (delayMs === 0 && queue.length === 0) other.write(chunk)
      else if (queue.push({ due: performance.now() + delayMs, chunk }) === 1) pump()
    })
    from.on('close', () => {
      if (!pair.isDead) other.destroy()
      if (from.destroyed && other.destroyed) pairs.delete(pair)
    })
    from.on('error', () => {})
  }

  const listener = createServer({ noDelay: true }, (client) => {
    const pair: Pair = { client, server: undefined, isDead: isSwallowing }
    pairs.add(pair)
    if (isSwallowing) {
      client.on('error', () => {})
      client.on('close', () => pairs.delete(pair))
      client.resume()
      return
    }
    const server = createConnection({ ...to, noDelay: true } as never)
    pair.server = server
    forward(pair, client, server)
    forward(pair, server, client)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address() as { port: number }
  const who = password ? `${username}:${password}` : username

  /** What had broken before is cleared away, as it is once the other end has noticed, too. */
  const clear = () => {
    for (const { client, server, isDead } of pairs) {
      if (!isDead) continue
      client.destroy()
      server?.destroy()
    }
  }
  return {
    url: `postgresql://${who}@127.0.0.1:${address.port}${pathname}?sslmode=disable`,
    delay: (ms) => {
      delayMs = ms
    },
    reset: () => {
      for (const { client, server } of pairs) {
        client.resetAndDestroy()
        server?.destroy()
      }
    },
    swallow: () => {
      clear()
      isSwallowing = true
      for (const pair of pairs) pair.isDead = true
    },
    pass: () => {
      isSwallowing = false
      delayMs = 0
    },
    close: () => {
      listener.close()
      for (const pair of pairs) pair.isDead = true
      clear()
    },
  }
}
