import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { runService } from '../helpers/command.ts'
import { createDatabase, type Teardown } from '../helpers/database.ts'

/** Forwards requests to the API at `target`, and drops the response to the first create that succeeds. */
async function startLossyProxy(t: Teardown, target: string): Promise<{ api: string; lost: () => number }> {
  let lost = 0
  const proxy = createServer(async (request, response) => {
    const body = await text(request)
    const headers = Object.fromEntries(
      ['authorization', 'content-type', 'idempotency-key'].flatMap((name) =>
        request.headers[name] ? [[name, String(request.headers[name])]] : [],
      ),
    )
    const reply = await fetch(new URL(request.url!, target), {
      method: request.method!,
      headers,
      ...(body && { body }),
    })
    const replyBody = await reply.text()
    if (lost === 0 && reply.status === 201) {
      lost++
      request.socket.destroy()
      return
    }
    const passedOn = ['content-type', 'idempotent-replayed', 'x-error-code']
    response.writeHead(reply.status, Object.fromEntries([...reply.headers].filter(([name]) => passedOn.includes(name))))
    response.end(replyBody)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(async () => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return { api: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/v1`, lost: () => lost }
}

/** Runs an example to its end; gives its status and the lines that it printed. */
async function runExample(command: string[], env: Record<string, string>) {
  const child = spawn(command[0]!, command.slice(1), { env: { PATH: process.env.PATH, ...env } })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stderr, lines: stdout.split('\n').filter(Boolean) }
}

const EXAMPLES = [
  {
    name: 'client.ts',
    command: [process.execPath, 'test/examples/client.ts'],
    rejected: '400 Invalid request (invalid_request)',
    replayed: ', replayed: true',
  },
  { name: 'client.sh', command: ['test/examples/client.sh'], rejected: '400 Invalid request', replayed: '' },
]

t.test('the examples publish on the sandbox, each post once, though a response is lost', async (t) => {
  const service = await runService('start', {
    DATABASE_URL: await createDatabase(t),
    // The demo needs a key to create a sandbox account on a database that is not the embedded one.
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  })
  t.teardown(() => service.stop('SIGKILL'))
  const { api, key } = service.facts as { api: string; key: string }

  for (const { name, command, rejected, replayed } of EXAMPLES) {
    const caption = `Sent by ${name}, "quoted"`
    const proxy = await startLossyProxy(t, api)
    const { code, stderr, lines } = await runExample([...command, caption], {
      POSTROOM_API: proxy.api,
      POSTROOM_KEY: key,
    })
    t.equal(code, 0, `${name} succeeds: ${stderr}`)
    t.equal(proxy.lost(), 1, `${name} lost a response`)
    const steps = lines.filter((line) => !line.startsWith('no success'))
    const id = /^created (.+)$/.exec(steps[2] ?? '')?.[1]
    t.equal(steps[0], rejected)
    t.equal(steps[1], '  accountIds: Expected array, received string')
    t.equal(steps[3], `repeated ${id}${replayed}`)
    t.equal(steps[4], 'post is published')
    t.match(steps[5], /^ {2}sandbox @demo: published https:\/\/sandbox\.invalid\/posts\/[0-9a-f-]{36}$/)
    t.strictSame(steps.slice(6), [`the sandbox accepted "${caption}"`])

    const posts = await (await fetch(`${api}/posts?limit=100`, { headers: { authorization: `Bearer ${key}` } })).json()
    const same = (posts as { data: { caption: string }[] }).data.filter((post) => post.caption === caption)
    t.equal(same.length, 1, `${name} created one post`)
  }
})

t.test('the examples say what is missing without a key', async (t) => {
  for (const { name, command } of EXAMPLES) {
    const { code, stderr, lines } = await runExample(command, {})
    t.not(code, 0, name)
    t.match(`${lines.join('\n')}${stderr}`, /Set POSTROOM_KEY to an API key/)
  }
})
