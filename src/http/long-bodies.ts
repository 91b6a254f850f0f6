import type { FastifyReply, FastifyRequest } from 'fastify'
import { patient, sendTimeout } from './errors.ts'

/** A body that brings less than this in that time has stalled. */
const STALL_MS = 15_000
const BYTES_MIN = 16_384
/** However steadily it comes. */
const TOTAL_MS = 3_600_000
/** How long a client may go on sending what nobody wants any more. */
const LINGER_MS = 5_000

/** Lets the body of this request take longer than the time that is set for all: as long as bytes keep coming. */
export function allowLongBody({ raw: request }: FastifyRequest, { raw: response }: FastifyReply): void {
  const { socket } = request
  // Nothing would tell any more that it has ended.
  if (request.destroyed) return
  const startedAt = performance.now()
  let received = socket.bytesRead
  patient.add(socket)
  const watch = setInterval(() => {
    if (socket.bytesRead - received < BYTES_MIN || performance.now() - startedAt > TOTAL_MS) sendTimeout(socket)
    received = socket.bytesRead
  }, STALL_MS)
  const stop = () => {
    clearInterval(watch)
    patient.delete(socket)
  }
  request.once('end', stop)
  response.once('close', stop)
  response.once('finish', () => {
    if (request.complete === false) setTimeout(() => request.complete || socket.destroy(), LINGER_MS).unref()
  })
}
