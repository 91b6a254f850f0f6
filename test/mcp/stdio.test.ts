import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { proxy } from '../../src/features/mcp/stdio.ts'
import { createWorld } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'

async function listen(t: Test) {
  const world = await createWorld(t)
  const url = await world.app.listen({ port: 0, host: '127.0.0.1' })
  return { ...world, url, ada: await world.user() }
}

/** Sends lines, and returns the responses by their id once the input has ended. */
async function exchange(url: string, key: string, lines: string[]) {
  const input = new PassThrough()
  const output = new PassThrough()
  const received = text(output)
  input.end(lines.map((line) => `${line}\n`).join(''))
  await proxy({ url, key, input, output })
  output.end()
  return (await received)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .sort((a, b) => a.id - b.id)
}

const request = (id: number, method: string, params?: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params })

t.test('each request gets its response, a notification none, and all of them before the end', async (t) => {
  const { url, ada } = await listen(t)
  const responses = await exchange(url, ada.key, [
    request(1, 'ping'),
    '',
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    request(2, 'tools/list'),
    request(3, 'nothing'),
  ])
  t.strictSame(
    responses.map(({ id, error }) => [id, error?.code]),
    [
      [1, undefined],
      [2, undefined],
      [3, -32601],
    ],
  )
  t.ok(responses[1].result.tools.length >= 12)
})

t.test('errors of HTTP become errors of the request, with their status and code', async (t) => {
  const { url, ada } = await listen(t)
  const [response] = await exchange(url, 'pr_wrong', [request(7, 'tools/list')])
  t.strictSame(response, {
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32000,
      message: '401 invalid_api_key: Invalid API key',
      data: { status: 401, code: 'invalid_api_key' },
    },
  })
  const [broken] = await exchange(url, ada.key, ['{"jsonrpc": '])
  const mistake = 'Request body is not valid JSON: line 1, column 13: the body ends, expected a value'
  t.strictSame([broken.id, broken.error.data.details[0].message], [null, mistake])
  const [empty] = await exchange(url, ada.key, ['[]'])
  t.equal(empty.error.data.details[0].message, 'Expected object, received array')
  const [batch] = await exchange(url, ada.key, [`[${request(1, 'ping')},${request(2, 'ping')}]`])
  t.strictSame(
    batch.map(({ id }: { id: number }) => id),
    [1, 2],
  )
})

t.test('a service that cannot be reached is named, and so is one that is not Postroom', async (t) => {
  const { url, app, ada } = await listen(t)
  await app.close()
  const [response] = await exchange(url, ada.key, [request(1, 'ping')])
  t.match(response.error.message, `${url} could not be reached`)
  t.notMatch(JSON.stringify(response), ada.key)
  t.strictSame(await exchange(url, ada.key, ['{"jsonrpc":"2.0","method":"notifications/initialized"}']), [])

  const seen: unknown[] = []
  const other = createServer(({ url, headers }, response) => {
    seen.push(headers.authorization)
    if (url === '/mcp') response.writeHead(307, { location: '/elsewhere' }).end()
    else response.end('<html>')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const [redirected] = await exchange(address, ada.key, [request(1, 'ping')])
  t.match(redirected.error.message, 'could not be reached')
  t.equal(seen.length, 1, 'a redirect does not get the key')
})

t.test('postroom mcp says which variable is missing or wrong', async (t) => {
  const url = 'http://127.0.0.1:1'
  for (const [env, message] of [
    [{ POSTROOM_KEY: 'pr_x' }, 'POSTROOM_URL must be like https://postroom.example.com or '],
    [{ POSTROOM_URL: `${url}/mcp`, POSTROOM_KEY: 'pr_x' }, `without /mcp or /api/v1, not "${url}/mcp"`],
    [{ POSTROOM_URL: url }, 'POSTROOM_KEY must be an API key'],
    [{ POSTROOM_URL: url, POSTROOM_KEY: 'pr x' }, 'POSTROOM_KEY must be an API key'],
  ] as const) {
    const { code, stderr } = await postroom(['mcp'], env)
    t.equal(code, 2, message)
    t.match(stderr, message)
    t.notMatch(stderr, 'pr x')
  }
})
