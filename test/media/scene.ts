import type { Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { jpeg, upload } from '../helpers/upload.ts'

export const NOT_FOUND = { status: 404, body: { error: 'Media not found' } }

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
