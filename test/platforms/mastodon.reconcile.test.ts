import t from 'tap'
import { mastodonAdapter } from '../../src/platforms/mastodon/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startMastodon } from '../networks/fakes/mastodon.ts'
import { reset } from '../networks/fakes/network.ts'

const { send, reconcile } = clientOf(mastodonAdapter)

async function start(t: Teardown) {
  const fake = await startMastodon(t)
  return { fake, credentials: fake.credentials }
}

t.test('a repeated call within an hour returns the existing status', async (t) => {
  const { fake, credentials } = await start(t)
  const first = await send(actOf(), credentials, ioOf(fake))
  t.same(await send(actOf(), credentials, ioOf(fake)), first)
  t.equal(fake.statuses.length, 1)
  fake.setTime(new Date(Date.now() + 3_600_001))
  await send(actOf(), credentials, ioOf(fake))
  t.equal(fake.statuses.length, 2, 'an hour later, it is a new status')
})

t.test('an act whose response was lost is found among the statuses of the account', async (t) => {
  const { fake, credentials } = await start(t)
  const root = await send(actOf({ text: 'Root', token: 'r' }), credentials, ioOf(fake))
  const acts = [
    actOf({ text: '  <b> & @bob https://example.com\n\nsea  ', token: '1' }),
    actOf({ text: 'With a warning', fields: { spoilerText: ' Sea ' }, token: '2' }),
    actOf({ text: '', fields: { spoilerText: 'Only a warning' }, media: [fileOf('image/png')], token: '3' }),
    actOf({ text: 'A part', parent: root, root, token: '4' }),
    actOf({ text: 'A film', media: [fileOf('video/mp4')], token: '5' }),
  ]
  for (const act of acts) {
    t.equal(await reconcile(act, credentials, ioOf(fake)), 'absent')
    fake.faults.push({ on: 'POST /api/v1/statuses', instead: reset, after: true })
    t.has(await rejection(send(act, credentials, ioOf(fake))), { maybeSent: true })
    const { id, url } = fake.statuses[0] ?? {}
    t.same(await reconcile(act, credentials, ioOf(fake)), { id, url }, act.text)
  }
})

t.test('a status that only resembles the act is not the act', async (t) => {
  const { fake, credentials } = await start(t)
  const startedAt = new Date('2026-03-01T12:00:00Z')
  const find = (act = {}) => reconcile(actOf({ startedAt, ...act }), credentials, ioOf(fake))
  const text = 'A lighthouse at dusk'

  fake.setTime(new Date('2026-03-01T11:58:00Z'))
  const before = fake.post({ status: text })
  t.equal(await find(), 'absent', 'posted before the act began')

  fake.setTime(new Date('2026-03-01T11:59:30Z'))
  fake.post({ status: text, in_reply_to_id: before.id })
  fake.post({ status: `${text}.` })
  t.equal(await find(), 'absent', 'a reply, and another text')
  t.equal(await find({ media: [fileOf('image/png')] }), 'absent', 'without the file')
  t.equal(await find({ fields: { spoilerText: 'Sea' } }), 'absent', 'without the warning')

  const { id, url } = fake.post({ status: text })
  t.same(await find(), { id, url }, 'the clock of the instance may be half a minute behind')
  fake.post({ status: text })
  t.equal(await find(), 'unknown', 'two equal statuses')
})

t.test('an edited status, or too many statuses, leave the outcome unknown', async (t) => {
  const { fake, credentials } = await start(t)
  const find = () => reconcile(actOf(), credentials, ioOf(fake))
  const edited = fake.post({ status: 'Was something else' })
  edited.edited_at = new Date().toISOString()
  t.equal(await find(), 'unknown', 'edited')

  fake.statuses.length = 0
  for (let count = 0; count < 199; count++) fake.post({ status: `Number ${count}` })
  fake.setTime(new Date(Date.now() - 600_000))
  fake.statuses.push(fake.post({ status: 'Old' }))
  fake.statuses.shift()
  fake.log.length = 0
  t.equal(await find(), 'absent')
  t.equal(fake.log.filter((name) => name === 'GET /api/v1/accounts/14715/statuses').length, 5, 'in pages of 40')
  fake.setTime(new Date())
  fake.post({ status: 'Number 200' })
  t.equal(await find(), 'unknown', 'more than are read')

  fake.faults.push({ on: 'GET /api/v1/accounts/14715/statuses', instead: { status: 503 } })
  const error = await rejection(find() as Promise<unknown>)
  t.has(error, { code: 'server_error', maybeSent: false, retryable: true })
})
