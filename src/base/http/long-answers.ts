import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createRoom } from './room.ts'

/** The kernel takes a shorter answer, whether its client reads or not. */
const SHORT_BYTES_MAX = 65_536
/** A client that reads nothing for this long is reset. An orderly close would leave its data in the kernel. */
const STALL_MS = 15_000

const MIB = 2 ** 20
const OWNER_BYTES_MAX = 16 * MIB
/** The answers that clients have not read yet. */
const sending = createRoom({ max: 64 * MIB, perOwner: OWNER_BYTES_MAX })

/** Limits how long an answer is sent, and what all of them take. Resolves when there is room for a long one. */
export function awaitSending(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> | undefined {
  const { length } = (payload ?? '') as { length?: number }
  if ((length !== undefined && length <= SHORT_BYTES_MAX) || !(request.raw.socket instanceof Socket)) return undefined
  const { socket } = request.raw
  reply.raw.setTimeout(STALL_MS, () => socket.resetAndDestroy())
  // Before Node sets the limit of an idle connection, or gives it to the next answer.
  reply.raw.prependOnceListener('finish', () => socket.setTimeout(0))
  // A stream has no length, and bytes belong to constants.
  return typeof payload === 'string' ? enter(request, reply, Math.min(payload.length, OWNER_BYTES_MAX)) : undefined
}

async function enter({ userId }: FastifyRequest, { raw }: FastifyReply, bytes: number): Promise<void> {
  const giveBack = await sending.take(userId ?? '', bytes)
  if (raw.closed) giveBack()
  else raw.once('close', () => giveBack())
}
