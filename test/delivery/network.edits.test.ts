import t from 'tap'
import { CHANGE_LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { noJournal } from '../helpers/journal.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { reset } from '../networks/fakes/network.ts'

const MINUTE = 60_000
const SECOND = 1_000

for (const platform of ['bluesky', 'mastodon', 'x'] as const) {
  t.test(`${platform}: a post is edited once, although each response is lost once`, async (t) => {
    const { ada, connect, post, work, advance, change, readDelivery, ...networks } = await createNetworkWorld(t)
    networks.x.user.subscription_type = 'Premium'
    const account = await connect(platform)
    const id = await post({ accountIds: [account], caption: 'One https://example.com/a' })
    await work()
    const { externalId } = await readDelivery(id)
    const edit = (text: string) => ada.call('PATCH', `/posts/${id}/deliveries/${account}`, { text, acceptNewId: true })
    const later = async (ms = 0) => {
      advance(ms)
      await change()
    }
    /** The texts of what readers see. */
    const shown = () =>
      ({
        bluesky: () => [...networks.bluesky.posts.values()].map((record) => (record as { text: string }).text),
        mastodon: () => networks.mastodon.statuses.map(({ text }) => text),
        x: () =>
          networks.x.posts
            .filter(({ id, versions }) => versions.at(-1) === id)
            .map(({ body }) => (body as { text: string }).text),
      })[platform]()
    for (const [index, text] of ['Two', 'Three'].entries()) {
      const calls = {
        bluesky: 'POST /xrpc/com.atproto.repo.putRecord',
        mastodon: `PUT /api/v1/statuses/${externalId}`,
        x: 'POST /2/tweets',
      }
      networks[platform].faults.push({ on: calls[platform], after: true, instead: reset })
      t.equal((await edit(text)).status, 202)
      await later()
      t.hasStrict((await readDelivery(id)).edit, { state: 'pending', text, error: { code: 'disconnected' } })
      t.strictSame(shown(), [text])
      await later(40 * SECOND)
      const delivery = await readDelivery(id)
      t.notOk('edit' in delivery, `edit ${index + 1} has succeeded`)
      t.equal(delivery.externalId === externalId, platform !== 'x')
      t.strictSame(shown(), [text])
    }
    t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/remove`)).status, 202)
    await later(MINUTE)
    t.hasStrict(await readDelivery(id), { state: 'removed', error: null })
  })
}

t.test('a worker that was suspended before its call does not undo a later edit', async (t) => {
  const world = await createNetworkWorld(t)
  const { ada, connect, post, work, advance, change, readDelivery, createWorker, mastodon } = world
  const account = await connect('mastodon')
  const id = await post({ accountIds: [account], caption: 'One' })
  await work()
  const edit = (text: string) => ada.call('PATCH', `/posts/${id}/deliveries/${account}`, { text })
  const [suspended, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const editing = () => {
    suspended.resolve()
    return resumed.promise
  }
  const { changes } = createWorker({ journal: { ...noJournal, editing } })
  await edit('Two')
  await changes.begin()
  await suspended.promise
  advance(CHANGE_LEASE_MS + SECOND)
  await change()
  t.equal((await edit('Three')).status, 202)
  await change()
  resumed.resolve()
  await changes.idle()
  t.strictSame(
    mastodon.statuses.map(({ text }) => text),
    ['Three'],
  )
  t.notOk('edit' in (await readDelivery(id)))
})

t.test('sandbox: faults of edits end as on a real network', async (t) => {
  const { ada, connect, post, work, change, readDelivery } = await createNetworkWorld(t)
  const account = await connect('sandbox')
  for (const [fault, pending, failed] of [
    ['timeout_after', { state: 'pending', error: { code: 'timeout' } }, undefined],
    ['rate_limited', { state: 'pending', error: { code: 'rate_limited' } }, undefined],
    ['content_refused', undefined, { state: 'failed', error: { code: 'content_refused' } }],
  ] as const) {
    const accountOverrides = [{ accountId: account, fields: { fault, faultCall: 'edit' } }]
    const id = await post({ accountIds: [account], caption: 'One', accountOverrides })
    await work(MINUTE)
    t.equal((await ada.call('PATCH', `/posts/${id}/deliveries/${account}`, { text: 'Two' })).status, 202)
    await change()
    if (pending) t.hasStrict((await readDelivery(id)).edit, pending, fault)
    await change(MINUTE)
    const { captionOverride, delivery } = (await ada.call('GET', `/posts/${id}`)).body.targets[0]
    t.equal(delivery.state, 'published')
    if (failed) t.hasStrict(delivery.edit, failed, fault)
    else t.strictSame([captionOverride, 'edit' in delivery], ['Two', false], fault)
  }
})
