import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { VIDEO } from '../helpers/network-world.ts'

type Options = Parameters<typeof createWorld>[1]

export interface Sent {
  status: number
  code: string | null
  offset: string | null
  complete: string | null
  body: Record<string, unknown>
}

/** A video of this size: its end is a box that players skip. */
export function videoOf(bytes: number): Buffer {
  const free = Buffer.alloc(bytes - VIDEO.length)
  free.writeUInt32BE(free.length, 0)
  free.write('free', 4, 'latin1')
  return Buffer.concat([VIDEO, free])
}

/** The service on a port, with Ada, who asks for addresses. */
export async function createUploadScene(t: Test, options: Options = {}) {
  const origin = { url: '' }
  const world = await createWorld(t, { publicUrl: () => origin.url, ...options })
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.app.server.address() as AddressInfo
  origin.url = `http://127.0.0.1:${port}`
  const ada = await world.user()
  const request = async (body: object = {}, person = ada) =>
    (await person.call('POST', '/media/uploads', { fileName: 'clip.mp4', ...body })).body
  const show = async (id: string) => (await ada.call('GET', `/media/${id}/upload`)).body
  const draft = (mediaIds: string[], body: object = {}) => ada.call('POST', '/posts', { mediaIds, ...body })
  const contentOf = async (id: string) => {
    const headers = { authorization: `Bearer ${ada.key}` }
    return Buffer.from(await (await fetch(`${origin.url}/api/v1/media/${id}/content`, { headers })).arrayBuffer())
  }
  return { ...world, ada, port, origin, request, show, draft, contentOf }
}

/** Sends bytes to an address. `range` is its Content-Range. */
export async function put(url: string, body: Uint8Array | string, range?: string): Promise<Sent> {
  return read(
    await fetch(url, { method: 'PUT', body: body as never, headers: range ? { 'content-range': range } : {} }),
  )
}

export const ask = async (url: string, method = 'HEAD') => read(await fetch(url, { method }))

async function read(response: Response): Promise<Sent> {
  const text = await response.text()
  return {
    status: response.status,
    code: response.headers.get('x-error-code'),
    offset: response.headers.get('upload-offset'),
    complete: response.headers.get('upload-complete'),
    body: text ? JSON.parse(text) : {},
  }
}

/** Begins a request with the head of its body. */
export async function open(url: string, { length, range }: { length: number; range?: string }) {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = [`PUT ${pathname}${search} HTTP/1.1`, 'Host: a', `Content-Length: ${length}`]
  if (range) head.push(`Content-Range: ${range}`)
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const send = (bytes: Uint8Array) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  return { socket, send, end: () => socket.end() }
}
