import t from 'tap'
import { NETWORKS } from '../../src/platforms/networks.ts'
import { createNetworkScene, kindsOf, nameOf, SUBJECTS } from '../helpers/network-scene.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { sceneOf } from '../networks/fakes/all.ts'

const EDITABLE = SUBJECTS.filter(({ id }) => id !== 'sandbox' && NETWORKS[id].changes.edit.possible)

for (const subject of EDITABLE) {
  const kind = kindsOf(subject.id).find(({ files, acts }) => files.length > 0 && acts === 1)
  if (!kind) continue
  t.test(
    `${nameOf(subject)}: a post keeps its files when its text is edited after they were deleted here`,
    async (t) => {
      const scene = await createNetworkScene(t, subject)
      const { world, account, network } = scene
      const { ada, advance, change, readDelivery } = world
      const mediaIds = await scene.uploadFiles(kind)
      const id = await scene.post(kind, mediaIds, 'One')
      const { externalId, state } = await scene.settle(id)
      t.equal(state, 'published')
      for (const file of new Set(mediaIds)) t.equal((await ada.call('DELETE', `/media/${file}`)).status, 200)
      t.strictSame((await ada.call('GET', `/posts/${id}`)).body.mediaIds, [])
      const calls = network!.calls.length
      const { status, headers } = await ada.call('PATCH', `/posts/${id}/deliveries/${account}`, {
        text: 'Two',
        acceptNewId: true,
      })
      if (subject.id === 'x' || subject.id === 'reddit') {
        t.strictSame([status, headers['x-error-code']], [409, 'not_editable'])
        t.equal(network!.calls.length, calls)
        return
      }
      t.equal(status, 202)
      advance(60_000)
      await change()
      t.notOk('edit' in (await readDelivery(id)))
      t.equal(sceneOf(subject.id)!.published!(network).textOf(externalId!), 'Two')
    },
  )
}

t.test('the text of an edit has the limit of posts with files, also after the files were deleted here', async (t) => {
  const { ada, connect, uploadFile, post, work, advance, change, telegram, db } = await createNetworkWorld(t)
  const account = await connect('telegram')
  const mediaIds = [await uploadFile(await jpeg(400, 300, 1)), await uploadFile(await jpeg(400, 300, 2))]
  const id = await post({ accountIds: [account], postType: 'carousel', mediaIds, caption: 'One' })
  await work()
  for (const file of mediaIds) await ada.call('DELETE', `/media/${file}`)
  const path = `/posts/${id}/deliveries/${account}`
  const { status, headers, body } = await ada.call('PATCH', path, { text: 'a'.repeat(1025) })
  t.strictSame([status, headers['x-error-code']], [400, 'platform_limit'])
  t.match(body.error, '1024')
  t.equal((await ada.call('PATCH', path, { text: 'a'.repeat(1024) })).status, 202)
  advance(60_000)
  await change()
  t.equal(telegram.messages[0]?.caption, 'a'.repeat(1024))

  const sent = JSON.stringify([{ id: '1', url: null }])
  await db.updateTable('postTargets').set({ sent }).execute()
  const removed = await ada.call('POST', `${path}/remove`)
  t.equal(removed.status, 409, 'an album without the ids of its other messages is not removed in part')
  t.match(removed.body.error, 'the other files of this album')
})

t.test('a pin keeps its alternative text', async (t) => {
  const { ada, connect, uploadFile, post, work, advance, change, pinterest } = await createNetworkWorld(t)
  const account = await connect('pinterest')
  const file = await uploadFile(await jpeg(400, 300, 1), 'A lighthouse')
  const accountOverrides = [{ accountId: account, fields: { boardId: '549755885175' } }]
  const id = await post({ accountIds: [account], mediaIds: [file], caption: 'One', accountOverrides })
  await work()
  await ada.call('DELETE', `/media/${file}`)
  t.equal((await ada.call('PATCH', `/posts/${id}/deliveries/${account}`, { text: 'Two' })).status, 202)
  advance(60_000)
  await change()
  t.hasStrict(pinterest.pins[0], { description: 'Two', alt_text: 'A lighthouse' })
})
