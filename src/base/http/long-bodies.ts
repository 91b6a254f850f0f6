import type { FastifyReply, FastifyRequest } from 'fastify'
import { endWithTimeout, slowBodySockets } from './protocol-errors.ts'

/** A body has stalled if it brings fewer than `BYTES_MIN` bytes in `STALL_MS`. */
const STALL_MS = 15_000
const BYTES_MIN = 16_384
/** Limits the whole body, even one that never stalls. */
const TOTAL_MS = 3_600_000
/** How long a client may keep sending after its response, before the connection is closed. */
const LINGER_MS = 5_000

/** Exempts the body of this request from requestTimeout for as long as it does not stall. */
export function allowLongBody({ raw: request }: FastifyRequest, { raw: response }: FastifyReply): void {
  const { socket } = request
  // No event would stop the watch any more.
  if (request.destroyed) return
  const startedAt = performance.now()
  let bytesRead = socket.bytesRead
  slowBodySockets.add(socket)
  const watch = setInterval(() => {
    if (socket.bytesRead - bytesRead < BYTES_MIN || performance.now() - startedAt > TOTAL_MS) endWithTimeout(socket)
    bytesRead = socket.bytesRead
  }, STALL_MS)
  const stop = () => {
    clearInterval(watch)
    slowBodySockets.delete(socket)
  }
  request.once('end', stop)
  response.once('close', stop)
  response.once('finish', () => {
    if (request.complete === false) setTimeout(() => request.complete || socket.destroy(), LINGER_MS).unref()
  })
}
