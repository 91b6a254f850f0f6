import t from 'tap'
import { createNetworkWorld } from '../helpers/network-world.ts'

const MINUTE = 60_000

t.test('each settlement is logged with its outcome, and those that end with an error as warnings', async (t) => {
  const { ada, connect, post, work, readDelivery, log } = await createNetworkWorld(t)
  const accountId = await connect('sandbox')
  const publish = async (fields: object, content: object = {}) => {
    const accountOverrides = [{ accountId, fields }]
    const postId = await post({ accountIds: [accountId], caption: 'Hello', accountOverrides, ...content })
    log.length = 0
    await work()
    await work(MINUTE)
    const lines = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'delivery settled')
    const facts = { userId: ada.id, postId, accountId, platform: 'sandbox', durationMs: 0 }
    for (const line of lines) t.hasStrict(line, facts)
    return {
      postId,
      lines: lines.map(({ level, state, event, act, attempt, errorCode, nextAttemptInMs, latenessMs }) => {
        t.ok(latenessMs > 0, 'the lateness is known')
        return [level, event, state, act, attempt, errorCode, nextAttemptInMs]
      }),
      latenessMs: lines.map(({ latenessMs }) => latenessMs),
    }
  }

  const refused = await publish({ fault: 'content_refused' })
  t.strictSame(refused.lines, [[40, 'failed', 'failed', 1, 1, 'content_refused', undefined]])
  const expired = await publish({ fault: 'expired_token' })
  t.strictSame(expired.lines, [[40, 'failed', 'failed', 1, 1, 'unauthorized', undefined]])
  const unknown = await publish({ fault: 'unknown' })
  t.strictSame(unknown.lines, [
    [30, 'unknown', 'queued', 1, 1, 'timeout', 30_000],
    [40, 'unknown', 'unconfirmed', 1, 1, 'unknown_outcome', undefined],
  ])
  const limited = await publish({ fault: 'rate_limited' })
  t.strictSame(limited.lines, [
    [30, 'failed', 'queued', 1, 1, 'rate_limited', 5_000],
    [30, 'sent', 'published', 1, 2, undefined, undefined],
  ])
  const commented = await publish({ fault: 'content_refused', faultAct: 2 }, { firstComment: 'More' })
  t.strictSame(commented.lines, [
    [30, 'sent', 'publishing', 1, 1, undefined, undefined],
    [40, 'failed', 'published', 2, 2, 'content_refused', undefined],
  ])

  const sound = await publish({})
  t.strictSame(sound.lines, [[30, 'sent', 'published', 1, 1, undefined, undefined]])
  t.strictSame(sound.latenessMs, [(await readDelivery(sound.postId)).latenessMs], 'as the API returns it')
})

t.test('a missed delivery is logged as a warning without an attempt', async (t) => {
  const { connect, post, work, log } = await createNetworkWorld(t)
  await post({ accountIds: [await connect('sandbox')], caption: 'Hello' })
  await work(2 * 86_400_000)
  const lines = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'delivery settled')
  t.equal(lines.length, 1)
  t.hasStrict(lines[0], { level: 40, event: 'late', state: 'missed', attempt: 0, errorCode: 'too_late' })
  t.ok(lines[0].latenessMs >= 2 * 86_400_000)
})
