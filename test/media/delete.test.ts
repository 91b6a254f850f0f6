import t from 'tap'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'
import { filesIn, isClean, jpeg, upload } from '../helpers/upload.ts'
import { checkResponse, createScene, DELETED, NOT_FOUND } from './scene.ts'

t.test('deleting a file deletes its bytes', async (t) => {
  const { ada, app, file, bytes, mediaDir, db } = await createScene(t)
  t.equal((await filesIn(mediaDir)).length, 1)
  checkResponse(t, await ada.call('DELETE', `/media/${file.id}`), DELETED)
  checkResponse(t, await ada.call('GET', `/media/${file.id}`), NOT_FOUND)
  checkResponse(t, await ada.call('GET', `/media/${file.id}/content`), NOT_FOUND)
  checkResponse(t, await ada.call('DELETE', `/media/${file.id}`), NOT_FOUND)
  await until('the bytes are deleted', () => isClean(db, mediaDir, 0))
  const { status, body } = await upload(app, ada, [['file', bytes]])
  t.equal(status, 201, 'the same bytes can be added again')
  t.not(body.id, file.id)
})

t.test('a draft or a scheduled post prevents the deletion of its file; a published post does not', async (t) => {
  const { ada, file, db, content } = await createScene(t)
  const account = await ada.account('bluesky')
  const post = async (body: object = {}) =>
    (await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [file.id], ...body })).body.id
  const IN_USE: [number, object] = [409, { error: 'Cannot delete media that is still to be published' }]

  const draft = await post()
  checkResponse(t, await ada.call('DELETE', `/media/${file.id}`), IN_USE)
  const scheduled = await post({ caption: 'hi', scheduledAt: '2030-01-01T00:00:00Z' })
  await ada.call('DELETE', `/posts/${draft}`)
  checkResponse(t, await ada.call('DELETE', `/media/${file.id}`), IN_USE)
  t.equal((await content(file.id)).statusCode, 200)

  t.equal(await markPostPublished(db, scheduled), 'published')
  t.match(await ada.call('DELETE', `/media/${file.id}`), { status: 200 })
  t.match(
    (await ada.call('GET', '/posts')).body.data,
    [{ id: scheduled, status: 'published' }],
    'the post still exists',
  )
})

t.test('a post is never delivered without a file that was deleted', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork('exactly-once')]
  const { ada, app, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon, bluesky })
  const [out, other] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const { body: file } = await upload(app, ada, [['file', await jpeg()]])
  const remove = async () => (await ada.call('DELETE', `/media/${file.id}`)).status
  const write = () => post({ accountIds: [out, other], mediaIds: [file.id] })

  bluesky.steps.push({ isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  const id = await write()
  await work()
  t.match(await readDelivery(id, out), { state: 'published' })
  t.match(await readDelivery(id, other), { state: 'queued' })
  t.equal(await remove(), 409, 'the delivery will be retried')
  await work(60_000)
  t.same(
    bluesky.acts.map(({ media }) => media.length),
    [1, 1],
  )

  bluesky.steps.push({ isAccepted: true, error: lostResponse() })
  bluesky.reconcileWith = async () => 'unknown'
  const open = await write()
  await work()
  await work(60_000)
  t.match(await readDelivery(open, other), { state: 'unconfirmed' })
  t.equal(await remove(), 409, 'the owner may resolve the delivery as not published')
  await ada.call('POST', `/posts/${open}/deliveries/${other}/resolve`, { outcome: 'published' })

  bluesky.steps.push({ isAccepted: false, error: refusal() })
  const failed = await write()
  await work(60_000)
  const retry = `/posts/${failed}/deliveries/${other}/retry`
  t.match(await readDelivery(failed, other), { state: 'failed' })
  const [removed, retried] = await Promise.all([remove(), ada.call('POST', retry)])
  t.ok(removed === 409 ? retried.status === 202 : retried.status === 409, `${removed}, ${retried.status}`)
  if (removed === 409) {
    bluesky.steps.push({ isAccepted: false, error: refusal() })
    await work(60_000)
    t.equal(await remove(), 200)
  }
  checkResponse(t, await ada.call('POST', retry), [409, { error: 'A file of the post was deleted' }])
  t.match(await readDelivery(failed, other), { state: 'failed', error: { code: 'media_deleted', retryable: false } })
  t.ok(bluesky.acts.every(({ media }) => media.length === 1))
})

t.test('if a file is deleted and used concurrently, one of the requests fails', async (t) => {
  const { ada, app, db } = await createScene(t)
  const account = await ada.account('bluesky')
  for (let round = 0; round < 12; round++) {
    const { body: file } = await upload(app, ada, [['file', await jpeg(20 + round)]])
    const [created, deleted] = await Promise.all([
      ada.call('POST', '/posts', { accountIds: [account], mediaIds: [file.id] }),
      ada.call('DELETE', `/media/${file.id}`),
    ])
    const used = await db.selectFrom('postMedia').select('mediaId').where('mediaId', '=', file.id).execute()
    if (created.status === 201) t.strictSame([deleted.status, used.length], [409, 1], 'used')
    else t.strictSame([created.status, deleted.status, used.length], [403, 200, 0], 'deleted')
  }
})

t.test('adding a file while the same bytes are being deleted never fails', async (t) => {
  const { ada, app, bytes, db, mediaDir } = await createScene(t)
  let hasUploaded = false
  const deleting = (async () => {
    while (!hasUploaded) {
      const { body } = await ada.call('GET', '/media?limit=1')
      if (body.data[0]) await ada.call('DELETE', `/media/${body.data[0].id}`)
    }
  })()
  const statuses = new Set<number>()
  try {
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        for (let round = 0; round < 25; round++) statuses.add((await upload(app, ada, [['file', bytes]])).status)
      }),
    )
  } finally {
    hasUploaded = true
  }
  await deleting
  t.strictSame(
    [...statuses].filter((status) => status !== 200 && status !== 201),
    [],
  )
  const left = await db.selectFrom('media').select('id').execute()
  await until('one file is left for each row', () => isClean(db, mediaDir, left.length))
})
