import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The requests of a connection that have no response yet. HTTP libraries and browsers send one after the other. */
const WAITING_MAX = 100

/**
 * Closes connections with more requests at a time. Node handles all requests that it has read from a connection before
 * it reads from another one: a megabyte of them held up other clients for seconds.
 */
export function limitPipelining(server: Server): void {
  const waiting = new WeakMap<Socket, number>()
  function noteClosed(this: ServerResponse): void {
    const { socket } = this.req
    waiting.set(socket, waiting.get(socket)! - 1)
  }
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const { socket } = request
    const count = waiting.get(socket) ?? 0
    if (count >= WAITING_MAX) {
      socket.destroy()
      return
    }
    waiting.set(socket, count + 1)
    response.on('close', noteClosed)
    for (const listener of listeners) listener.call(server, request, response)
  })
}
