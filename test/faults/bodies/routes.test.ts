import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { createWorld } from '../../helpers/app.ts'
import { collectRoutes } from '../../helpers/routes.ts'
import { SEED } from '../fuzz/seed.ts'
import { type Message, startClient } from './client.ts'
import { bodiesOf, isOpen } from './routes.ts'
import { watchTurns, yardstick } from './turns.ts'

/** One in `EVERY` bodies of the routes that take a key is sent with one. */
const { EVERY = '10', SOAK_REPORT } = process.env

t.test('no body that a route takes holds the event loop for long, with a key or without', async (t) => {
  t.comment(`SEED=${SEED}`)
  const oauthApps = { facebook: { clientId: '998877665544', clientSecret: 'fedcba9876543210fedcba9876543210' } }
  const [{ app, user }, routes] = await collectRoutes(() => createWorld(t, { oauthApps }))
  const { key } = await user()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const send = startClient(t, (app.server.address() as AddressInfo).port)
  const limitMs = Math.max(yardstick(), yardstick())
  const turns = watchTurns()
  t.teardown(async () => turns.stop())
  const slow: [name: string, status: number, turnMs: number][] = []
  const measure = async (name: string, message: Message) => {
    const readings: [status: number, turnMs: number][] = []
    for (const _ of Array(2)) {
      await nextTurn()
      turns.reset()
      readings.push([await send(message), turns.longestMs()])
    }
    // The first request of a kind is compiled.
    const [status, turnMs] = readings.reduce((a, b) => (a[1] < b[1] ? a : b))
    if (turnMs > limitMs) slow.push([name, status, turnMs])
    return status
  }
  const open = routes.filter(isOpen).flatMap((route) => [...bodiesOf(route)])
  const closed = routes.filter((route) => !isOpen(route)).map((route) => [...bodiesOf(route)])
  t.ok(new Set(open.map(([, { path }]) => path)).size >= 7, 'the routes without a key are known')
  for (const [name, message] of open) await measure(`${name}, without a key`, message)
  const statuses: number[] = []
  for (const [body] of closed) if (body) statuses.push(await measure(`${body[0]}, without a key`, body[1]))
  t.strictSame([...new Set(statuses)], [401], 'a key is asked for before the body is read')
  for (const [index, [name, message]] of closed.flat().entries()) {
    if (index % Number(EVERY) === SEED % Number(EVERY)) await measure(name, { ...message, key })
  }
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify({ seed: SEED, limitMs, slow }))
  t.strictSame(slow, [], `a turn takes more than ${limitMs} ms`)
})
