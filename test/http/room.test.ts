import { once } from 'node:events'
import http, { type ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { parseInRoom } from '../../src/base/http/body-room.ts'
import { createRoom } from '../../src/base/http/room.ts'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { createFetchFile } from '../../src/features/media/fetch.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'

t.test('who has least is next, and who has its part waits', async (t) => {
  const room = createRoom({ max: 4, perOwner: 3 })
  const order: string[] = []
  const take = async (owner: string, amount: number) => {
    const giveBack = await room.take(owner, amount)
    order.push(`${owner} ${amount}`)
    return giveBack
  }
  await take('ada', 2)
  const giveBack = await take('bob', 2)
  const waiting = [take('ada', 1), take('cleo', 1), take('ada', 1)]
  giveBack()
  await Promise.all(waiting.slice(0, 2))
  t.strictSame(order, ['ada 2', 'bob 2', 'cleo 1', 'ada 1'])
  await t.rejects(waiting[2]!, { code: 'service_busy' }, 'ada has her part')
})

t.test('who gets no room within a second is told to come back', async (t) => {
  const room = createRoom({ perOwner: 1 })
  const giveBack = await room.take('ada', 1)
  await t.rejects(room.take('ada', 1), { statusCode: 503, code: 'service_busy' })
  giveBack()
  t.type(await room.take('ada', 1), 'function')
})

t.test('who keeps a part has that, until all is given back', async (t) => {
  const room = createRoom({ perOwner: 4 })
  const giveBack = await room.take('ada', 4)
  giveBack(1)
  const giveBackRest = await room.take('ada', 3)
  await t.rejects(room.take('ada', 1), { code: 'service_busy' })
  giveBack()
  giveBack()
  giveBackRest()
  await room.take('ada', 4)
  await t.rejects(room.take('ada', 1), { code: 'service_busy' })
})

const BODY_BYTES_MAX = 2 ** 20

t.test('requests that wait keep no room for blanks', async (t) => {
  const fetches: ServerResponse[] = []
  const server = http.createServer((_request, response) => fetches.push(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const client = createPublicClient({
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    isAllowed: (address) => address === '127.0.0.1',
  })
  const { app, user } = await createWorld(t, { media: { fetchFile: createFetchFile(client) } })
  const [ada, bob, cleo] = [await user(), await user(), await user()]
  const account = await cleo.account()
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const send = async ({ key }: Person, path: string, body: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const { status } = await fetch(origin + path, { method: 'POST', headers, body })
    return status
  }
  const url = `http://files.example:${(server.address() as AddressInfo).port}/a.png`
  const callTool = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
  const params = { name: 'import_media', arguments: { url } }
  const message = JSON.stringify({ ...callTool, params })
  const post = JSON.stringify({ accountIds: [account], caption: 'a' }).padEnd(5_000)
  const cases: [name: string, path: string, body: string, status: number][] = [
    ['an import', '/api/v1/media/import', JSON.stringify({ url }), 400],
    ['a tool', '/mcp', message, 200],
    ['a batch', '/mcp', `[${message}]`, 200],
  ]
  for (const [name, path, body, imported] of cases) {
    const imports = [ada, ada, ada, bob].map((person) => send(person, path, body.padEnd(BODY_BYTES_MAX)))
    await until('all files are fetched', () => fetches.length, { isMet: (count) => count === imports.length })
    t.equal(await send(cleo, '/api/v1/posts', post), 201, `${name}: the status of a post meanwhile`)
    for (const response of fetches.splice(0)) response.writeHead(404).end()
    t.strictSame(
      await Promise.all(imports),
      imports.map(() => imported),
      name,
    )
  }
  t.equal(await send(cleo, '/api/v1/posts', post), 201, 'all room is given back')
})

t.test('a request that waits keeps room for its large values', async (t) => {
  const requestOf = (userId: string) => ({ userId, raw: { socket: new Socket() } }) as unknown as FastifyRequest
  const read = (request: FastifyRequest) =>
    parseInRoom(request, Buffer.from(JSON.stringify('a'.repeat(BODY_BYTES_MAX - 2))), (body) =>
      JSON.parse(String(body)),
    )
  const waiting = ['ada', 'ada', 'ada', 'bob'].map(requestOf)
  for (const request of waiting) await read(request)
  await t.rejects(read(requestOf('cleo')), { code: 'service_busy' })
  for (const request of waiting) request.leaveRoom?.()
  const request = requestOf('cleo')
  await read(request)
  request.leaveRoom?.()
})
