import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createFolder, createWorld } from '../helpers/app.ts'
import { postroom, spawnPostroom } from '../helpers/command.ts'
import { numberEvents } from '../helpers/events.ts'
import { endChild } from '../helpers/processes.ts'
import { until } from '../helpers/until.ts'
import { startReceiver } from '../webhooks/scene.ts'

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('sandbox', { username: 'ada' })
  const url = await world.app.listen({ host: '127.0.0.1', port: 0 })
  const env = { POSTROOM_URL: url, POSTROOM_KEY: ada.key }
  const draft = async () => {
    const { body } = await ada.call('POST', '/posts', { accountIds: [account] })
    await numberEvents(world.db)
    return body.id as string
  }
  /** Starts the command. `lines` are what it has printed. */
  const listen = async (...args: string[]) => {
    const child = spawnPostroom(['listen', '--json', ...args], env)
    t.teardown(() => endChild(child, 'SIGKILL'))
    let output = ''
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    const lines = () => [...output.matchAll(/^.+$/gm)].map(([line]) => JSON.parse(line))
    await until('the command listens', () => lines().length > 0)
    const stop = async () => {
      child.kill('SIGINT')
      await once(child, 'close')
    }
    return { lines, stop }
  }
  return { ada, env, draft, listen }
}

t.test('events reach a program signed, again after an error, and from the kept place on', async (t) => {
  const { env, draft, listen } = await createScene(t)
  const receiver = await startReceiver(t, (response, _request, count) =>
    response.writeHead(count === 1 ? 500 : 200).end(),
  )
  const cursor = join(await createFolder(t), 'cursor')
  const args = ['--forward-to', receiver.url, '--cursor', cursor]
  const first = await listen(...args, '--types', 'post.*')
  const { secret } = first.lines()[0]
  receiver.secrets = [secret]
  const ids = [await draft()]
  await until('the event has arrived twice, and its place is kept', () => existsSync(cursor))
  await first.stop()
  ids.push(await draft())
  const second = await listen(...args)
  await until('the other one has arrived', () => second.lines().length === 2)
  await second.stop()

  t.equal(second.lines()[0].secret, secret)
  t.strictSame(
    receiver.received.map(({ body }) => body.data.postId),
    [ids[0], ...ids],
  )
  t.strictSame(
    [...first.lines(), ...second.lines()].map(({ status }) => status),
    [undefined, 500, 200, undefined, 200],
  )
  t.strictSame(receiver.forged, [])
  const [id] = receiver.ids()
  t.match(await postroom(['listen', '--forward-to', receiver.url, '--resend', id!], env), { code: 0, stdout: id })
  t.equal(receiver.ids().at(-1), id)
})

t.test('an event that cannot be sent again is a failure', async (t) => {
  const { ada, env, draft } = await createScene(t)
  await draft()
  const [{ id }] = (await ada.call('GET', '/events?types=post.created')).body.data
  const { code, stdout } = await postroom(['listen', '--forward-to', 'http://127.0.0.1:1', '--resend', id], env)
  t.strictSame([code, /unreachable/.test(stdout)], [1, true])
})
