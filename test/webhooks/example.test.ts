import { spawn } from 'node:child_process'
import t from 'tap'
import { endChild } from '../helpers/processes.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, numberEvents, type Receiver } from './scene.ts'

t.test('the example receives the events of a webhook, each once, and rejects forged ones', async (t) => {
  const { hook, ada, db, dispatch, log } = await createWebhookWorld(t)
  const target = { url: 'http://127.0.0.1:1/', secrets: [] as string[] } as Receiver
  const { id, secret } = await hook(target)
  const child = spawn(process.execPath, ['test/examples/receiver.ts'], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: '0' },
  })
  t.teardown(() => endChild(child, 'SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const [, port] = await until('it listens', () => /"port":(\d+)/.exec(output))
  const url = `http://127.0.0.1:${port}/`
  await ada.call('PATCH', `/webhooks/${id}`, { url })
  await ada.call('POST', `/webhooks/${id}/test`)
  await numberEvents(db)
  dispatch(t)
  const [row] = await until('the test has arrived', () => log(id), { isMet: ([row]) => row?.state === 'delivered' })
  await ada.call('POST', `/webhooks/${id}/redeliver`, { eventIds: [row!.eventId] })
  await until('it is sent again', () => log(id), { isMet: ([row]) => row?.state === 'delivered' && row.attempts === 1 })
  const forged = await fetch(url, { method: 'POST', body: '{}' })
  t.equal(forged.status, 401)
  t.equal(output.match(/^webhook\.test /gm)?.length, 1)
})
