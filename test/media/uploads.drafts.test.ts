import t from 'tap'
import { daily } from '../helpers/queue.ts'
import { jpeg } from '../helpers/upload.ts'
import { createUploadScene, put } from './upload-scene.ts'

const LATER = '2035-01-15T09:30:00Z'

t.test('a draft has a file before it is there; a post cannot be scheduled', async (t) => {
  const { ada, request, draft } = await createUploadScene(t)
  const accountIds = [await ada.account('instagram'), await ada.account('pinterest')]
  const { id, uploadUrl } = await request({ bytes: 123 })
  // Pinterest needs to know whether the file is a video.
  const fields = { boardId: '1', coverTimestampSeconds: 3 }
  const body = { accountIds, accountOverrides: [{ accountId: accountIds[1], fields }], mediaFit: 'auto' }
  const post = await draft([id], body)
  t.strictSame([post.status, post.body.status], [201, 'draft'])
  t.strictSame((await ada.call('GET', `/posts/${post.body.id}`)).body.mediaIds, [id])

  const message = `media clip.mp4 (${id}) is not uploaded yet`
  const refused = [400, 'platform_limit', `instagram (@ada): ${message}`]
  const check = ({ status, headers, body }: Awaited<ReturnType<typeof draft>>, name: string) =>
    t.strictSame([status, headers['x-error-code'], body.error], refused, name)
  check(await draft([id], { ...body, scheduledAt: LATER }), 'createPost')
  check(await draft([id], { ...body, scheduledAt: '2020-01-01T00:00:00Z' }), 'createPost, for now')
  check(await ada.call('PATCH', `/posts/${post.body.id}`, { scheduledAt: LATER }), 'updatePost')
  check(await ada.call('POST', `/posts/${post.body.id}/publish`), 'publishPost')
  await ada.call('PUT', `/accounts/${accountIds[0]}/schedule`, daily('09:30'))
  check(await draft([id], { accountIds: [accountIds[0]], schedule: { queue: 'next' } }), 'createPost in a slot')

  const { publishable, create, violations, unchecked } = (
    await ada.call('POST', '/posts/validate', { ...body, mediaIds: [id] })
  ).body
  t.strictSame([publishable, create, unchecked], [false, { status: 201, error: null }, []])
  const pending = { rule: 'media_pending', blocks: 'publishing', path: ['mediaIds', 0], mediaId: id }
  t.match(violations, [pending, pending])
  t.equal(violations[0].message, `instagram (@ada): ${message}`)

  t.equal((await put(uploadUrl, Buffer.alloc(123))).status, 400)
  const failed = await ada.call('PATCH', `/posts/${post.body.id}`, { scheduledAt: LATER })
  t.match(
    failed.body.error,
    /^instagram \(@ada\): media clip\.mp4 \(.+\) could not be uploaded: file type is not supported/,
  )
  t.strictSame((await ada.call('GET', '/posts')).body.data.length, 1, 'nothing else was stored')
})

t.test('a draft is scheduled once its file is there, if the file fits', async (t) => {
  const { ada, request, draft } = await createUploadScene(t)
  const accountIds = [await ada.account('instagram')]
  for (const [bytes, status] of [
    [await jpeg(1080, 1080), 200],
    [await jpeg(1080, 100), 400],
  ] as const) {
    const { id, uploadUrl } = await request()
    const post = await draft([id], { accountIds })
    const etag = (await ada.call('GET', `/posts/${post.body.id}`)).headers.etag
    t.equal((await put(uploadUrl, bytes)).body.state, 'ready')
    t.equal((await ada.call('GET', `/posts/${post.body.id}`)).headers.etag, etag, 'the post is the same')
    const scheduled = await ada.call('PATCH', `/posts/${post.body.id}`, { scheduledAt: LATER })
    t.equal(scheduled.status, status)
    if (status === 400) t.match(scheduled.body.error, /aspect ratio of 10\.8/)
  }
})

t.test('lists of posts and files show what is there', async (t) => {
  const { ada, request, draft } = await createUploadScene(t)
  const accountIds = [await ada.account()]
  const { id, uploadUrl } = await request()
  await draft([id], { accountIds })
  const read = async () => {
    const posts = (await ada.call('GET', '/posts?include=media')).body.data
    const files = (await ada.call('GET', '/media')).body.data
    return [posts[0].mediaIds, posts[0].media.length, files.length]
  }
  t.strictSame(await read(), [[id], 0, 0])
  await put(uploadUrl, await jpeg())
  t.strictSame(await read(), [[id], 1, 1])
})
