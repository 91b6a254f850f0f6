import t from 'tap'
import type { TurnDeps } from '../../src/features/webhooks/turn.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, ok, startReceiver } from './scene.ts'

type Line = { level: string; message: string; [field: string]: unknown }

/** A log that keeps its lines. */
function keptLog(): { lines: Line[]; log: TurnDeps['log'] } {
  const lines: Line[] = []
  const keep = (level: string) => (facts: object, message: string) => {
    lines.push({ level, message, ...facts })
  }
  return { lines, log: { info: keep('info'), warn: keep('warn'), error: keep('error') } }
}

t.test('the log says when a webhook begins to fail, when it works again, and when it is disabled', async (t) => {
  const { ada, hook, emit, dispatch } = await createWebhookWorld(t)
  const { lines, log } = keptLog()
  const receiver = await startReceiver(t, (response) => response.writeHead(503).end())
  const { id } = await hook(receiver, { url: `${receiver.url}/path-secret?token=query-secret` })
  const facts = { userId: ada.id, webhookId: id, host: new URL(receiver.url).host }
  const untilLogged = (count: number) =>
    until(`${count} lines`, () => lines.length, { isMet: (length) => length >= count })

  await emit(3)
  dispatch(t, { log })
  await untilLogged(1)
  await until('it has failed again', () => receiver.received.length, { isMet: (count) => count >= 3 })
  const failure = { level: 'warn', message: 'webhook fails', ...facts, errorCode: 'status', status: 503 }
  t.strictSame(lines, [failure], 'once')

  receiver.respond = ok
  await untilLogged(2)
  t.strictSame(lines[1], { level: 'info', message: 'webhook works again', ...facts })

  receiver.respond = (response) => response.writeHead(410).end()
  await emit()
  await untilLogged(3)
  const { failingSince, ...disabled } = lines[2]!
  t.type(failingSince, Date)
  const reason = { disabledReason: 'gone', errorCode: 'status', status: 410 }
  t.strictSame(disabled, { level: 'warn', message: 'webhook disabled', ...facts, ...reason })
  t.notMatch(JSON.stringify(lines), /secret/)
})
