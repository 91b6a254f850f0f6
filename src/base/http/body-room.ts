import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { createRoom, type Room } from './room.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives back the room that its body takes, except for some bytes; undefined if the body is too short to count. */
    leaveRoom: ((keptBytes?: number) => void) | undefined
  }
}

/** A shorter body takes no more memory than its connection, and never waits. */
const SHORT_BYTES_MAX = 4_096

const MIB = 2 ** 20
/** The bodies that are read. A client that sends one slowly holds its room meanwhile. */
const reading = createRoom({ max: 16 * MIB, perOwner: 4 * MIB })
/** The values of parsed bodies, until their responses. In memory, they take up to 22 times the bytes of their JSON. */
const parsing = createRoom({ max: 4 * MIB, perOwner: 3 * MIB })

/** Waits until a request may read its body. Undefined if it may now. */
export function awaitReading(request: FastifyRequest): Promise<void> | undefined {
  const { schema, bodyLimit } = request.routeOptions
  // A form with a file is streamed.
  if (schema?.body === undefined || schema.consumes?.includes('multipart/form-data')) return undefined
  const bytes = Math.min(Number(request.headers['content-length'] ?? bodyLimit), bodyLimit)
  return bytes <= SHORT_BYTES_MAX ? undefined : enter(request, reading, bytes)
}

/**
 * Parses the body of a request when there is room for it. Its values then keep the room that they need: the request may
 * wait for minutes, and its body may have been a megabyte of blanks.
 */
export async function parseInRoom<T extends Buffer | string, Parsed>(
  request: FastifyRequest,
  body: T,
  parse: (body: T) => Parsed,
): Promise<Parsed> {
  if (body.length > SHORT_BYTES_MAX) await enter(request, parsing, body.length)
  const parsed = await parse(body)
  request.leaveRoom?.(Math.min(lengthOf(parsed), body.length))
  return parsed
}

const lengthOf = (parsed: unknown): number =>
  (parsed instanceof URLSearchParams ? String(parsed) : JSON.stringify(parsed)).length

async function enter(request: FastifyRequest, room: Room, bytes: number): Promise<void> {
  // Requests of this process are parts of others, which have room: the operations that a tool calls.
  if (!(request.raw.socket instanceof Socket)) return
  const giveBack = await room.take(request.userId ?? '', bytes)
  const { leaveRoom } = request
  request.leaveRoom = (keptBytes) => {
    leaveRoom?.()
    giveBack(keptBytes)
  }
}
