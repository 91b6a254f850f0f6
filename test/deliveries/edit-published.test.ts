import t, { type Test } from 'tap'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const FUTURE = '2030-01-01T00:00:00.000Z'
const accepted: Step = { isAccepted: true }

/** A post on one account, which a worker has published as `steps` say. */
async function createScene(
  t: Test,
  { platform = 'mastodon', body = {}, steps = [accepted] }: { platform?: PlatformId; body?: object; steps?: Step[] },
) {
  const network = scriptedNetwork()
  network.steps.push(...steps)
  const world = await createDeliveryWorld(t, { [platform]: network })
  const account = await world.connectAccount(platform)
  const id = await world.post({ accountIds: [account], caption: 'a', ...body })
  if (steps.length > 0) await world.work()
  const path = `/posts/${id}/deliveries/${account}`
  const edit = (payload: object, headers?: Record<string, string>) => world.ada.call('PATCH', path, payload, headers)
  const read = async () => (await world.ada.call('GET', `/posts/${id}`)).body.targets[0]
  const events = async () => {
    await sequenceEvents(world.db)
    const { body } = await world.ada.call('GET', '/events?types=delivery.*')
    return body.data.map(({ type }: { type: string }) => type)
  }
  return { ...world, network, account, id, path, edit, read, events }
}

t.test('a published post is edited on its network, and has the new text here then', async (t) => {
  const { edit, read, network, change, id, ada } = await createScene(t, { body: { firstComment: 'b' } })
  const { status, headers, body } = await edit({ text: 'c', fields: { spoilerText: 'd' } })
  t.equal(status, 202)
  t.equal(headers.etag, (await ada.call('GET', `/posts/${id}`)).headers.etag)
  t.notOk('warning' in body)
  const pending = { state: 'pending', text: 'c', fields: { spoilerText: 'd' }, error: null }
  const listed = async () => (await ada.call('GET', '/deliveries')).body.data[0]
  t.strictSame([body.targets[0].delivery.edit, (await listed()).edit], [pending, pending])
  t.hasStrict(body.targets[0], { captionOverride: null, fields: null, delivery: { state: 'published' } })
  t.equal((await edit({ text: 'c', fields: { spoilerText: 'd' } })).status, 202, 'the same edit is no error')
  t.hasStrict(await edit({ text: 'e' }), { status: 409, headers: { 'x-error-code': 'edit_in_progress' } })
  await change()
  t.strictSame(network.edits, ['c'])
  t.strictSame([...network.present.values()], ['b', 'c'])
  const target = await read()
  t.hasStrict(target, { captionOverride: 'c', fields: { spoilerText: 'd' } })
  t.hasStrict(target.delivery, { state: 'published', error: null, externalId: 'n1' })
  t.notOk('edit' in target.delivery)
  t.notOk('edit' in (await listed()))
  t.equal((await edit({ text: 'c' })).status, 202, 'the text of now is no error')
  await change(HOUR)
  t.equal(network.edits.length, 1)
})

t.test('the text of an edit takes the place of the caption, and the suffix stays', async (t) => {
  const network = scriptedNetwork()
  const { ada, connectAccount, post, work, change } = await createDeliveryWorld(t, { mastodon: network })
  const account = await connectAccount('mastodon')
  await ada.call('PATCH', `/accounts/${account}`, { captionSuffix: { text: ' – Ada' } })
  const id = await post({ accountIds: [account], caption: 'a' })
  await work()
  t.strictSame([...network.present.values()], ['a – Ada'])
  t.equal((await ada.call('PATCH', `/posts/${id}/deliveries/${account}`, { text: 'b' })).status, 202)
  await change()
  t.strictSame(network.edits, ['b – Ada'])
})

t.test('a thread of one part has the new text in place of its part', async (t) => {
  const network = scriptedNetwork()
  const { ada, connectAccount, post, work, change } = await createDeliveryWorld(t, { mastodon: network })
  const account = await connectAccount('mastodon')
  const id = await post({
    accountIds: [account],
    caption: 'a',
    postType: 'thread',
    threadParts: { [account]: ['part'] },
  })
  await work()
  const edit = async (body: object) => {
    t.equal((await ada.call('PATCH', `/posts/${id}/deliveries/${account}`, body)).status, 202)
    await change()
    return (await ada.call('GET', `/posts/${id}`)).body.targets[0]
  }
  await edit({ text: 'part' })
  t.strictSame(network.edits, [], 'that is its text')
  t.hasStrict(await edit({ fields: { spoilerText: 'd' } }), { captionOverride: 'part', threadParts: null })
  t.hasStrict(await edit({ text: 'a' }), { captionOverride: 'a', fields: { spoilerText: 'd' } })
  t.strictSame(network.edits, ['part', 'a'])
  t.strictSame([...network.present.values()], ['a'])
})

t.test('an edit that breaks a limit, or has another field, is refused, and changes nothing', async (t) => {
  const { edit, read, network, change, id, ada } = await createScene(t, {})
  const { etag } = (await ada.call('GET', `/posts/${id}`)).headers
  for (const [body, code] of [
    [{}, 'invalid_request'],
    [{ fields: {} }, 'invalid_request'],
    [{ text: 'c', other: 1 }, 'invalid_request'],
    [{ text: 'c', fields: { visibility: 'private' } }, 'invalid_request'],
    [{ text: 'c'.repeat(501) }, 'platform_limit'],
    [{ text: '' }, 'platform_limit'],
  ] as const) {
    t.hasStrict(await edit(body), { status: 400, headers: { 'x-error-code': code } }, JSON.stringify(body))
  }
  t.equal((await edit({ text: 'c' }, { 'if-match': '"other"' })).status, 412)
  await change()
  t.strictSame(network.edits, [])
  t.notOk('edit' in (await read()).delivery)
  t.equal((await edit({ text: 'c' }, { 'if-match': String(etag) })).status, 202)
})

t.test('nothing is edited of what is not published, or may be, or its network leaves as it is', async (t) => {
  const thread = (account: string) => ({ postType: 'thread', threadParts: { [account]: ['a', 'b'] } })
  for (const [body, steps, code] of [
    [{ scheduledAt: undefined }, [], 'delivery_not_published'],
    [{ scheduledAt: FUTURE }, [], 'delivery_not_published'],
    [{}, [{ isAccepted: false, error: refusal() }], 'delivery_not_published'],
  ] as [object, Step[], string][]) {
    const { edit } = await createScene(t, { body, steps })
    t.hasStrict(await edit({ text: 'c' }), { status: 409, headers: { 'x-error-code': code } })
  }
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork(), threads: scriptedNetwork() })
  for (const [platform, body, code] of [
    ['mastodon', thread, 'not_editable'],
    ['threads', () => ({}), 'not_editable'],
  ] as const) {
    const account = await world.connectAccount(platform)
    const id = await world.post({ accountIds: [account], caption: 'a', ...body(account) })
    await world.work(MINUTE)
    const path = `/posts/${id}/deliveries/${account}`
    t.hasStrict(await world.ada.call('PATCH', path, { text: 'c' }), {
      status: 409,
      headers: { 'x-error-code': code },
    })
  }
})

t.test('a call that fails is repeated, and a lasting failure leaves the delivery published', async (t) => {
  const { edit, read, network, change, events } = await createScene(t, {})
  network.editSteps.push({ isAccepted: true, error: lostResponse() })
  await edit({ text: 'c' })
  await change()
  t.hasStrict((await read()).delivery, { state: 'published', edit: { state: 'pending', error: { code: 'timeout' } } })
  await change(MINUTE)
  t.strictSame(network.edits, ['c', 'c'])
  t.hasStrict(await read(), { captionOverride: 'c' })
  network.editSteps.push({ isAccepted: false, error: refusal() })
  await edit({ text: 'd' })
  await change()
  const failed = await read()
  t.hasStrict(failed, { captionOverride: 'c', delivery: { state: 'published', error: null } })
  t.hasStrict(failed.delivery.edit, { state: 'failed', text: 'd', error: { code: 'content_refused' } })
  t.strictSame(await events(), ['delivery.published', 'delivery.edited', 'delivery.edit_failed'])
  await change(HOUR)
  t.equal(network.edits.length, 3, 'it is not tried again')
  t.equal((await edit({ text: 'c' })).status, 202)
  await change()
  t.equal(network.edits.length, 4, 'the earlier text is sent again')
  t.notOk('edit' in (await read()).delivery)
})

t.test('on X, an edit is a new post, which has to be wanted', async (t) => {
  const { edit, read, network, change, ada, path } = await createScene(t, { platform: 'x' })
  network.editsAreNew = true
  t.hasStrict(await edit({ text: 'c' }), { status: 409, headers: { 'x-error-code': 'new_id_not_accepted' } })
  for (const [index, text] of ['c', 'd', 'e', 'f', 'g'].entries()) {
    const { status, body } = await edit({ text, acceptNewId: true })
    t.equal(status, 202)
    t.match(body.warning, 'new post')
    network.editSteps.push({ isAccepted: true, error: lostResponse() })
    await change(MINUTE)
    await change(MINUTE)
    t.hasStrict((await read()).delivery, {
      externalId: `n1${'e'.repeat(index + 1)}`,
      acts: [{ externalId: `n1${'e'.repeat(index + 1)}` }],
    })
    t.strictSame([...network.present.values()], [text], 'one post is there')
  }
  t.hasStrict(await edit({ text: 'h', acceptNewId: true }), {
    status: 409,
    headers: { 'x-error-code': 'not_editable' },
  })
  t.equal((await ada.call('POST', `${path}/remove`)).status, 202)
  await change()
  t.equal(network.present.size, 0)
})

t.test('a post is not edited after the time in which its network does it', async (t) => {
  const { edit, read, network, change, db } = await createScene(t, { platform: 'x' })
  const publishedAt = new Date(Date.now() - 31 * MINUTE)
  await db.updateTable('postTargets').set({ publishedAt }).execute()
  const { status, headers, body } = await edit({ text: 'c', acceptNewId: true })
  t.strictSame([status, headers['x-error-code']], [409, 'not_editable'])
  t.match(body.error, '30 minutes')
  await change()
  t.strictSame(network.edits, [])
  t.notOk('edit' in (await read()).delivery)
})

t.test('a removal takes the place of an edit, and waits until its call has ended', async (t) => {
  const { edit, read, network, change, ada, path, createWorker, time } = await createScene(t, {})
  const response = Promise.withResolvers<void>()
  const called = Promise.withResolvers<void>()
  network.editSteps.push({
    isAccepted: true,
    beforeResponse: () => {
      called.resolve()
      return response.promise
    },
  })
  await edit({ text: 'c' })
  const { changes } = createWorker()
  t.equal(await changes.begin(), true)
  await called.promise
  const { body } = await ada.call('POST', `${path}/remove`)
  t.hasStrict(body.targets[0].delivery, { state: 'removing' })
  t.notOk('edit' in body.targets[0].delivery)
  await change()
  t.strictSame(network.removals, [], 'the call of the edit may still arrive')
  response.resolve()
  await changes.idle()
  time.now = new Date(time.now.getTime() + MINUTE)
  await change()
  t.hasStrict((await read()).delivery, { state: 'removed' })
  t.equal(network.present.size, 0)
  t.hasStrict(await edit({ text: 'd' }), { status: 409, headers: { 'x-error-code': 'delivery_removed' } })
})
