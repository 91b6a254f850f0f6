import t from 'tap'
import { examineApps } from '../../src/cli/examine/networks.ts'
import { callsOf, createNetworkWorld, TELEGRAM_BOT } from '../helpers/network-world.ts'
import { graphError } from '../networks/fakes/facebook-errors.ts'

const SECOND = 1_000
const HOUR = 3_600_000

t.test('while X restricts the app, its accounts wait, no post fails, and the operator is told', async (t) => {
  const { ada, db, connect, post, work, readDelivery, readAccount, log, x } = await createNetworkWorld(t)
  const first = await connect('x')
  const { credentials } = x
  const second = await ada.account('x', { username: 'second', credentials: { ...credentials, userId: '99' } })
  const limitKey = `x:${credentials.clientId}`
  await db.updateTable('accounts').set({ limitKey }).where('id', '=', second).execute()
  x.switches.isEnrolled = false
  const tried = await post({ accountIds: [first], caption: 'tried' })
  await work()
  t.hasStrict(await readDelivery(tried), { state: 'queued', error: { code: 'app_restricted', retryable: true } })
  const waiting = await post({ accountIds: [second], caption: 'waiting' })
  await work(SECOND)
  t.hasStrict(await readDelivery(waiting), { state: 'queued', attempts: 0, error: null })
  for (const account of [first, second]) {
    const { attention } = await readAccount(account)
    t.hasStrict(attention, { code: 'app_restricted' })
    t.match(attention.message, /^api\.x\.com: .*project/)
    t.ok(Date.parse(attention.since) > 0, attention.since)
  }
  const { body } = await ada.call('POST', '/posts', { accountIds: [second], caption: 'c', scheduledAt: FUTURE })
  t.hasStrict(body.warnings, [{ code: 'account_attention' }], 'the author is told')
  t.match(log.join(''), /a network restricts the app: all its accounts rest/)
  const { status, message } = await examineApps(db)
  t.equal(status, 'wrong')
  t.match(message, new RegExp(`^${limitKey} \\(2 accounts\\), until .*: api\\.x\\.com`))

  x.switches.isEnrolled = true
  await work(HOUR)
  t.hasStrict(
    [await readDelivery(tried), await readDelivery(waiting)],
    [{ state: 'published' }, { state: 'published' }],
  )
  await db.updateTable('limitRests').set({ until: new Date() }).execute()
  t.equal((await readAccount(first)).attention, undefined)
  t.equal((await examineApps(db)).status, 'ok')

  const calls = callsOf(x, 'POST /2/tweets').length
  const never = await post({ accountIds: [first], caption: 'never' })
  const instead = { status: 402, body: { title: 'CreditsDepleted', detail: 'No credits' } }
  for (let hours = 0; hours < 12; hours++) {
    x.faults.push({ on: 'POST /2/tweets', instead })
    await work(HOUR)
  }
  t.equal(callsOf(x, 'POST /2/tweets').length - calls, 12, 'once an hour')
  t.hasStrict(await readDelivery(never), { state: 'queued', error: { code: 'app_restricted', retryable: true } })
})

t.test('accounts whose app is not known are refused one by one, and none of their posts fails', async (t) => {
  const { ada, db, post, work, readDelivery, x } = await createNetworkWorld(t)
  const { clientId: _, ...credentials } = x.credentials
  const accounts = [
    await ada.account('x', { username: 'first', credentials }),
    await ada.account('x', { username: 'second', credentials }),
  ]
  x.switches.isEnrolled = false
  const posts = [
    await post({ accountIds: [accounts[0]], caption: 'first' }),
    await post({ accountIds: [accounts[1]], caption: 'second' }),
  ]
  await work()
  for (const id of posts) {
    const refused = { state: 'queued', error: { code: 'app_restricted', retryable: true } }
    t.hasStrict(await readDelivery(id), refused, 'each has tried: neither rests for the other')
  }
  t.strictSame(await db.selectFrom('limitRests').select('key').execute(), [], 'no app is named that may be another')
  x.switches.isEnrolled = true
  await work(HOUR)
  for (const id of posts) t.hasStrict(await readDelivery(id), { state: 'published' })
})

t.test('an account that posts too fast waits, and its owner has nothing to do', async (t) => {
  const { connect, post, work, readDelivery, readAccount, facebook } = await createNetworkWorld(t)
  const account = await connect('facebook')
  const path = `/v26.0/${facebook.credentials.pageId}/feed`
  facebook.faults.push({
    on: `POST ${path}`,
    instead: graphError(368, 'The action attempted has been deemed abusive or is otherwise disallowed', {
      error_subcode: 1390008,
    }),
  })
  const id = await post({ accountIds: [account], caption: 'c' })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', error: { code: 'rate_limited', retryable: true } })
  t.equal((await readAccount(account)).attention, undefined)
  await work(HOUR)
  t.hasStrict(await readDelivery(id), { state: 'published' })
})

t.test('a restricted account is tried again, and need not be connected again', async (t) => {
  const { connect, post, work, readDelivery, readAccount, facebook } = await createNetworkWorld(t)
  const account = await connect('facebook')
  const on = `POST /v26.0/${facebook.credentials.pageId}/feed`
  facebook.faults.push({ on, instead: graphError(368, 'Confirm your identity', { error_subcode: 4854002 }) })
  const id = await post({ accountIds: [account], caption: 'c' })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', error: { code: 'account_restricted', retryable: true } })
  t.hasStrict((await readAccount(account)).attention, {
    code: 'account_restricted',
    message: 'facebook.com: Confirm your identity',
  })
  await work(HOUR)
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.equal((await readAccount(account)).attention, undefined)
})

t.test('a group that became a supergroup keeps its account, which keeps the new id', async (t) => {
  const { ada, db, post, work, change, readDelivery, readAccount, telegram } = await createNetworkWorld(t)
  const [chat] = telegram.chats
  const group = { id: -987654, type: 'group' as const, title: 'Lighthouses' }
  telegram.chats.splice(0, 1, group)
  const credentials = { ...telegram.credentials, chatId: '-987654' }
  const { body: account } = await ada.call('POST', '/accounts', { platform: 'telegram', credentials })
  const before = await post({ accountIds: [account.id], caption: 'before' })
  await work()
  t.hasStrict(await readDelivery(before), { state: 'published', externalUrl: null })

  telegram.upgrade(group.id, chat!.id)
  const after = await post({ accountIds: [account.id], caption: 'after' })
  await work(2 * SECOND)
  t.hasStrict(await readDelivery(after), { state: 'queued', error: { code: 'server_error', retryable: true } })
  t.match((await readDelivery(after)).error!.message, /upgraded to a supergroup chat\. Its id is now -1001234567890$/)
  await work(SECOND)
  t.hasStrict(await readDelivery(after), { state: 'published', externalUrl: 'https://t.me/c/1234567890/2' })
  t.equal((await readAccount(account.id)).attention, undefined)
  t.equal((await readAccount(account.id)).username, '-1001234567890')
  const { externalId } = await db.selectFrom('accounts').select('externalId').executeTakeFirstOrThrow()
  t.equal(externalId, '-1001234567890')
  const calls = callsOf(telegram, `${TELEGRAM_BOT}/sendMessage`).map(
    ({ body }) => (body as { chat_id: string }).chat_id,
  )
  t.strictSame(calls, ['-987654', '-987654', '-1001234567890'])

  const again = await ada.call('POST', '/accounts', {
    platform: 'telegram',
    credentials: { ...credentials, chatId: '-1001234567890' },
  })
  t.equal(again.body.id, account.id, 'connecting the supergroup finds the account')

  await ada.call('POST', `/posts/${before}/deliveries/${account.id}/remove`)
  await change(SECOND)
  const { state, error } = await readDelivery(before)
  t.equal(state, 'remove_failed')
  t.match(error!.message, /sent before the group became a supergroup/)
})

const FUTURE = '2040-01-15T09:30:00Z'
