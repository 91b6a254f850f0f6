import type { FastifyInstance } from 'fastify'
import sharp from 'sharp'
import { call, type Method } from '../helpers/app.ts'
import { json } from '../helpers/document.ts'
import { upload } from '../helpers/upload.ts'
import { check, operations, type Scene } from './scene.ts'

/** The operations that make files for `mediaFit`. */
const MAKERS = [...operations.values()].filter(
  ({ responses: { 503: unavailable } }) => unavailable && 'renditions_unfinished' in json(unavailable).examples,
)

/** Their errors that other tests check: test/posts/media-fit.test.ts and media-fit.slow.test.ts. */
export const CHECKED_ELSEWHERE = MAKERS.flatMap(({ operationId }) => [
  `${operationId} 409 media_quota`,
  `${operationId} 503 renditions_unfinished`,
])

/** Requests that need a rendition, to a service that cannot store it. */
export async function checkRenditions({ app, db, ada }: Scene, failing: FastifyInstance, example: string) {
  const accountIds = [await ada.account('instagram')]
  const png = await sharp({ create: { width: 400, height: 400, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const { id: file } = (await upload(app, ada, [['file', png]])).body
  const fitting = { mediaIds: [file], mediaFit: 'auto' }
  const body = { accountIds, caption: example, ...fitting }
  const [{ body: draft }, { body: failed }] = [
    await ada.call('POST', '/posts', body),
    await ada.call('POST', '/posts', { ...body, scheduledAt: '2999-01-01T00:00:00Z' }),
  ]
  await db.updateTable('postTargets').set({ state: 'failed' }).where('postId', '=', failed.id).execute()
  await db.deleteFrom('renditions').execute()
  const bodies: Record<string, object> = {
    createPost: body,
    createPosts: { posts: [body] },
    validatePost: body,
    validatePosts: { posts: [body] },
    updatePost: { mediaIds: [file, file] },
    retryDelivery: { captionOverride: 'Again' },
  }
  const ids: Record<string, string[]> = { retryDelivery: [failed.id, accountIds[0]!] }
  for (const { operationId, method, path } of MAKERS) {
    const named = (ids[operationId] ?? [draft.id]).reduce((path, id) => path.replace(/\{\w+\}/, id), path)
    const request = call(failing, ada.key, method as Method, named.replace('/api/v1', ''), bodies[operationId])
    await check(operationId, 503, example, request)
  }
}
