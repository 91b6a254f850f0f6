import t from 'tap'
import { createBlueskyWorld, MINUTE, textsOf, thread } from './bluesky-world.ts'
import { blobOf, loopbackFetch, onlyRecord, records } from './pds.ts'

const world = await createBlueskyWorld(t)
const { ada, db, post, work, readDelivery, time, connect, connectNew, uploadImage, assertPublished } = world

t.test('a post is published with its links, mentions, hashtags and languages', async (t) => {
  const account = await connectNew('mara-2.test')
  const friend = await connectNew('friend-2.test')
  const id = await post({
    accountIds: [account.id],
    caption: 'Grüße @friend-2.test: https://example.com/a #Büro',
    accountOverrides: [{ accountId: account.id, fields: { langs: ['de', 'pt-BR'] } }],
  })
  await work()
  await assertPublished(t, account, id, ['Grüße @friend-2.test: https://example.com/a #Büro'])
  const { value } = await onlyRecord(account)
  t.hasStrict(value, { langs: ['de', 'pt-BR'], createdAt: time.now.toISOString() })
  t.hasStrict(value.facets, [
    { index: { byteStart: 8, byteEnd: 22 }, features: [{ did: friend.did }] },
    { index: { byteStart: 24, byteEnd: 45 }, features: [{ uri: 'https://example.com/a' }] },
    { index: { byteStart: 46, byteEnd: 52 }, features: [{ tag: 'Büro' }] },
  ])
  t.equal((await readDelivery(id)).attempts, 1)
  await work(MINUTE)
  t.equal((await records(account)).length, 1, 'it is published once')
})

t.test('an image is published unchanged, with its alternative text', async (t) => {
  const account = await connectNew('pictures-2.test')
  const { id: mediaId, bytes } = await uploadImage('A lighthouse at dusk')
  const id = await post({ accountIds: [account.id], caption: 'Look', mediaIds: [mediaId] })
  await work()
  await assertPublished(t, account, id, ['Look'])
  const [image] = (await onlyRecord(account)).value.embed.images
  t.hasStrict(image, { alt: 'A lighthouse at dusk', aspectRatio: { width: 64, height: 48 } })
  t.same(await blobOf(account, image.image), { type: 'image/jpeg', bytes })
})

t.test('a thread and its first comment are published as one chain', async (t) => {
  const account = await connectNew('thread-2.test')
  const { id: mediaId } = await uploadImage('A map')
  const parts = thread(account, 'One', 'Two', 'Three')
  const id = await post({ ...parts, firstComment: 'More in our blog', mediaIds: [mediaId] })
  await work()
  await assertPublished(t, account, id, ['One', 'Two', 'Three', 'More in our blog'])
  const embeds = (await records(account)).map(({ value }) => value.embed?.images[0].alt)
  t.same(embeds, ['A map', undefined, undefined, undefined])
  t.hasStrict(
    (await readDelivery(id)).history,
    [1, 2, 3, 4].map((act) => ({ number: act, act, outcome: 'published' })),
  )
})

t.test('after a password is revoked, a new one lets the owner retry', async (t) => {
  const account = await connectNew('revoked-2.test')
  await post({ accountIds: [account.id], caption: 'Before' })
  await work()
  // Records of the same millisecond have no order.
  await work(MINUTE)
  await account.call('com.atproto.server.revokeAppPassword', { body: { name: 'postroom' } })
  // A session outlives its password by up to two hours.
  const afterTwoHours: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers)
    if (headers.has('authorization')) headers.set('authorization', `Bearer ${account.expiredToken()}`)
    return loopbackFetch(url, { ...init, headers })
  }
  const id = await post({ accountIds: [account.id], caption: 'After' })
  const worker = world.createWorker({ fetch: afterTwoHours })
  await worker.claim()
  await worker.idle()
  t.match(await readDelivery(id), {
    state: 'failed',
    nextAttemptAt: null,
    error: { code: 'unauthorized', message: /Invalid identifier or password/, retryable: false },
  })
  const listed = async () => {
    const { body } = await ada.call('GET', '/accounts')
    return body.data.find(({ id }: { id: string }) => id === account.id)
  }
  t.hasStrict(await listed(), { attention: { code: 'unauthorized' } })
  await work(MINUTE)
  t.same(textsOf(await records(account)), ['Before'], 'it is not retried automatically')

  const password = await account.createPassword('another')
  t.hasStrict(await connect({ ...account.credentials, password }), { status: 200, body: { id: account.id } })
  t.equal((await listed()).attention, undefined)
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account.id}/retry`)).status, 202)
  await work()
  t.same(textsOf(await records(account)), ['Before', 'After'])
  t.hasStrict(await readDelivery(id), {
    state: 'published',
    error: null,
    history: [{ outcome: 'failed' }, { outcome: 'published' }],
  })
})

t.test('a post that only the server rejects fails with its message', async (t) => {
  const account = await connectNew('refused-2.test')
  const id = await post({ accountIds: [account.id], caption: 'Hm' })
  // As an earlier version may have stored it.
  await db
    .updateTable('postTargets')
    .set({ fields: { langs: ['en-a'] } })
    .where('postId', '=', id)
    .execute()
  await work()
  t.match(await readDelivery(id), {
    state: 'failed',
    attempts: 1,
    error: { code: 'content_refused', message: /langs/, retryable: false },
  })
  t.same(await records(account), [])
  t.equal(await world.readStatus(id), 'scheduled')
})
