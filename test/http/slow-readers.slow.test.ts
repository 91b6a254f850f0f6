import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'

const TEXT = 'a'.repeat(1_000_000)
/** More answers of 2 MB than one user may leave unread. */
const READERS = 12

t.test('clients that read no answer use up neither memory nor the service', async (t) => {
  const { app, user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  for (const person of [ada, bob]) {
    const account = await person.account('sandbox')
    const accountOverrides = [{ accountId: account, captionOverride: 'short' }]
    for (let count = 0; count < 2; count++) {
      const post = { accountIds: [account], caption: TEXT, accountOverrides }
      t.equal((await person.call('POST', '/posts', post)).status, 201)
    }
  }
  const list = ({ key }: { key: string }) =>
    `GET /api/v1/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`
  const failures: (string | undefined)[] = []
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    t.teardown(() => socket.destroy())
    return socket.on('error', ({ code }: NodeJS.ErrnoException) => void failures.push(code))
  }

  const silent = await Promise.all(Array.from({ length: READERS }, open))
  // Each asks for more than the kernel takes.
  for (const socket of silent) socket.pause().write(list(ada).repeat(4))
  const statusOf = async ({ key }: { key: string }) => {
    const headers = { authorization: `Bearer ${key}`, connection: 'close' }
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/posts`, { headers })
    await response.arrayBuffer()
    return response.status
  }
  await until('a user whose answers are not read gets no other', async () => (await statusOf(ada)) === 503)
  t.equal(await statusOf(bob), 200, 'another user')

  const isBack = async () => (await statusOf(ada)) === 200
  await until('they are disconnected, which gives back the room', isBack, { timeoutMs: 60_000 })
  for (const socket of silent) socket.resume()
  // The kernel does not keep what they have not read.
  await until('they see that they were reset', () => failures.includes('ECONNRESET'), { timeoutMs: 60_000 })
})
