import t from 'tap'
import { createNetworkWorld, TELEGRAM_BOT } from '../helpers/network-world.ts'
import { reset } from '../networks/fakes/network.ts'

const MINUTE = 60_000
const DAY = 86_400_000

t.test('a post on every network has the outcome of each account, and is published', async (t) => {
  const { ada, connect, post, work, bluesky, mastodon, telegram, discord } = await createNetworkWorld(t)
  const platforms = ['bluesky', 'mastodon', 'telegram', 'discord', 'sandbox']
  const accountIds: string[] = []
  for (const platform of platforms) accountIds.push(await connect(platform))
  bluesky.faults.push({
    on: 'POST /xrpc/com.atproto.repo.putRecord',
    instead: { status: 400, body: { error: 'InvalidRequest', message: 'Invalid record' } },
  })
  telegram.faults.push({ on: `POST ${TELEGRAM_BOT}/sendMessage`, after: true, instead: reset })
  const id = await post({ accountIds, caption: 'Everywhere' })
  await work()
  await work(DAY)
  const { body } = await ada.call('GET', `/posts/${id}`)
  t.equal(body.status, 'published')
  t.hasStrict(
    accountIds.map((id) => body.targets.find(({ accountId }: { accountId: string }) => accountId === id)),
    [
      {
        platform: 'bluesky',
        delivery: {
          state: 'failed',
          externalUrl: null,
          error: { code: 'content_refused', message: 'bsky.social: Invalid record' },
        },
      },
      { platform: 'mastodon', delivery: { state: 'published', externalUrl: mastodon.statuses[0]!.url, error: null } },
      { platform: 'telegram', delivery: { state: 'unconfirmed', externalUrl: null, error: { code: 'disconnected' } } },
      { platform: 'discord', delivery: { state: 'published', externalId: discord.messages[0]!.id, error: null } },
      { platform: 'sandbox', delivery: { state: 'published', error: null } },
    ],
  )
  t.same([mastodon.statuses.length, telegram.messages.length, discord.messages.length], [1, 1, 1])
})

t.test('nothing is sent to an account that was disconnected after the post was created', async (t) => {
  const { ada, connect, post, work, readDelivery, readStatus, connectable } = await createNetworkWorld(t)
  const accountIds: string[] = []
  for (const platform of ['mastodon', 'telegram', 'discord', 'sandbox']) accountIds.push(await connect(platform))
  const id = await post({ accountIds, caption: 'Too late' })
  for (const account of accountIds) t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  for (const { network } of connectable) network.calls.length = 0
  await work()
  await work(DAY)
  for (const account of accountIds) {
    t.hasStrict(await readDelivery(id, account), { state: 'failed', nextAttemptAt: null, error: { code: 'no_access' } })
  }
  for (const { body, network } of connectable) t.same(network.calls, [], body.platform)
  t.same((await ada.call('GET', '/sandbox/calls')).body.data, [])
  t.equal(await readStatus(id), 'scheduled')

  t.not(await connect('mastodon'), accountIds[0], 'connecting again creates another account')
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${accountIds[0]}/retry`)).status, 202)
  await work(DAY)
  t.hasStrict(await readDelivery(id, accountIds[0]), { state: 'failed', error: { code: 'no_access' } })
})

t.test('an outcome is kept even if the network sends texts or ids that cannot be stored', async (t) => {
  const { connect, post, work, readDelivery, bluesky, mastodon } = await createNetworkWorld(t)
  const accountIds = [await connect('bluesky'), await connect('mastodon')]
  const whales = '🐳'.repeat(400)
  for (const [place, said] of ['no\u0000pe', 'no \ud83d', whales, `.${whales}`].entries()) {
    const body = { error: said, message: said }
    bluesky.faults.push({ on: 'POST /xrpc/com.atproto.repo.putRecord', instead: { status: 400, body } })
    mastodon.faults.push({ on: 'POST /api/v1/statuses', instead: { status: 422, body } })
    const id = await post({ accountIds, caption: 'Hello' })
    await work(MINUTE)
    for (const account of accountIds) {
      const { state, attempts, error } = await readDelivery(id, account)
      t.hasStrict(
        { state, attempts, error },
        { state: 'failed', attempts: 1, error: { code: 'content_refused' } },
        `${place}`,
      )
      t.ok(error!.message.length <= 600)
    }
  }

  const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
  const names = [
    { uri: `at://${did}/app.bsky.feed.post/3k\u0000`, cid: 'bafy' },
    { uri: `at://${did}/app.bsky.feed.post/${'3'.repeat(100_000)}`, cid: 'bafy' },
    { uri: `at://${did}/app.bsky.feed.post/3k`, cid: 'ba\ud83dfy' },
  ]
  for (const body of names) {
    bluesky.faults.push({ on: 'POST /xrpc/com.atproto.repo.putRecord', instead: { status: 200, body } })
    const id = await post({ accountIds: accountIds.slice(0, 1), caption: 'Hello' })
    await work()
    const { attempts, acts, error } = await readDelivery(id)
    t.hasStrict({ attempts, acts, code: error?.code }, { attempts: 1, acts: [], code: 'unexpected_answer' })
    t.equal(acts.length, 0)
    // It is reconciled, found absent and sent again, before the next post can meet its fault.
    await work(MINUTE)
    t.hasStrict(await readDelivery(id), { state: 'published', attempts: 2 })
  }
})
