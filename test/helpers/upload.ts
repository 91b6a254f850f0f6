import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import sharp from 'sharp'
import type { Db } from '../../db/client.ts'
import type { Reply } from './app.ts'
import { until } from './until.ts'

type Part = Uint8Array | string

/** Encodes a multipart form as a browser does. Parts that are bytes become files. */
export async function form(parts: [name: string, value: Part][]): Promise<{ type: string; body: Buffer }> {
  const data = new FormData()
  for (const [name, value] of parts) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, new Blob([new Uint8Array(value)], { type: 'text/plain' }), 'some name.bin')
  }
  const encoded = new Response(data)
  return { type: encoded.headers.get('content-type')!, body: Buffer.from(await encoded.arrayBuffer()) }
}

/** Uploads a form with the key of a person. */
export async function upload(
  app: FastifyInstance,
  { key }: { key?: string | undefined },
  parts: [name: string, value: Part][],
): Promise<Reply> {
  const { type, body } = await form(parts)
  return send(app, key, type, body)
}

/** Uploads a file until the request does not exceed its time limit, as it may on a busy machine. Returns its id. */
export async function storeFile(...request: Parameters<typeof upload>): Promise<string> {
  const { status, body } = await until('the file is stored', () => upload(...request), {
    isMet: ({ status }) => status !== 503,
  })
  if (status !== 200 && status !== 201) throw new Error(body.error)
  return body.id
}

export async function send(app: FastifyInstance, key: string | undefined, type: string, body: Buffer): Promise<Reply> {
  const reply = await app.inject({
    method: 'POST',
    url: '/api/v1/media',
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), 'content-type': type },
    payload: body,
  })
  return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
}

/** An image of one colour. A different `shade` gives different bytes. */
export const jpeg = (width = 40, height = 30, shade = 0) =>
  sharp({ create: { width, height, channels: 3, background: { r: shade, g: 128, b: 128 } } })
    .jpeg()
    .toBuffer()

/** Paths of all files under `folder`. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** Whether the service has cleaned up: `count` files are left, and no file is staged. */
export const isClean = async (db: Db, folder: string, count: number): Promise<boolean> =>
  (await filesIn(folder)).length === count &&
  (await db.selectFrom('looseFiles').selectAll().where('removedAt', 'is', null).execute()).length === 0
