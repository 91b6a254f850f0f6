import type { Test } from 'tap'
import { createWorld, type Reply } from '../helpers/app.ts'
import { jpeg, upload } from '../helpers/upload.ts'

/** Checks the status and the whole body of a response. */
export const checkResponse = (t: Test, { status, body }: Reply, expected: [status: number, body: object], name = '') =>
  t.strictSame([status, body], expected, name || 'status and body')

export const NOT_FOUND: [number, object] = [404, { error: 'Media not found' }]
export const DELETED: [number, object] = [200, { success: true }]

/** The service with two users, Ada and Bob, and a file of Ada's. */
export async function createScene(t: Test) {
  const world = await createWorld(t)
  const [ada, bob] = [await world.user(), await world.user()]
  const bytes = await jpeg()
  const { body: file } = await upload(world.app, ada, [['file', bytes]])
  const content = (id: string, headers: Record<string, string> = {}, person = ada) =>
    world.app.inject({
      url: `/api/v1/media/${id}/content`,
      headers: { authorization: `Bearer ${person.key}`, ...headers },
    })
  return { ...world, ada, bob, bytes, file, content }
}
