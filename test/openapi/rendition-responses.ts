import type { FastifyInstance } from 'fastify'
import sharp from 'sharp'
import { call, type Method } from '../helpers/app.ts'
import { upload } from '../helpers/upload.ts'
import { check, type Scene } from './scene.ts'

/** The operations that make files for `mediaFit`. */
export const RENDITION_MAKERS = [
  ...['createPost', 'createPosts', 'validatePost', 'validatePosts', 'updatePost', 'publishPost', 'retryDelivery'],
  'editDelivery',
]

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
  const webp = await sharp(png).webp().toBuffer()
  const { id: otherFile } = (await upload(app, ada, [['file', webp]])).body
  const facebook = await ada.account('facebook')
  const onFacebook = { accountIds: [facebook], caption: example, mediaIds: [otherFile], mediaFit: 'auto' }
  const { body: published } = await ada.call('POST', '/posts', onFacebook)
  const sent = JSON.stringify([{ id: '1', url: null }])
  await db
    .updateTable('postTargets')
    .set({ state: 'published', sent, publishedAt: new Date() })
    .where('postId', '=', published.id)
    .execute()
  await db.deleteFrom('renditions').execute()
  const requests: [method: Method, path: string, body?: object][] = [
    ['POST', '/posts', body],
    ['POST', '/posts/batch', { posts: [body] }],
    ['POST', '/posts/validate', body],
    ['POST', '/posts/batch/validate', { posts: [body] }],
    ['PATCH', `/posts/${draft.id}`, { mediaIds: [file, file] }],
    ['POST', `/posts/${draft.id}/publish`],
    ['POST', `/posts/${failed.id}/deliveries/${accountIds[0]}/retry`, { captionOverride: 'Again' }],
    ['PATCH', `/posts/${published.id}/deliveries/${facebook}`, { text: 'Again' }],
  ]
  for (const [index, [method, path, content]] of requests.entries()) {
    await check(RENDITION_MAKERS[index]!, 503, example, call(failing, ada.key, method, path, content))
  }
}
