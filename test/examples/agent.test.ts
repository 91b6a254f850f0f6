import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'

/** Runs the agent to its end; gives its status and the lines that it printed. */
async function runAgent(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ['test/examples/agent.ts', ...args], {
    env: { PATH: process.env.PATH, ...env },
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stderr, lines: stdout.split('\n').filter(Boolean) }
}

t.test('the agent of the example drafts, and publishes only what was confirmed, over HTTP and stdio', async (t) => {
  const service = await runService('start', {
    DATABASE_URL: await createDatabase(t),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  })
  t.teardown(() => service.stop('SIGKILL'))
  const { api, key } = service.facts as { api: string; key: string }
  const env = { POSTROOM_URL: new URL(api).origin, POSTROOM_KEY: key }
  const ways = { HTTP: {}, stdio: { MCP_COMMAND: `${process.execPath} src/cli/postroom.ts mcp` } }
  const statusOf = async (caption: string) => {
    const reply = await fetch(`${api}/posts?limit=100`, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await reply.json()) as { data: { caption: string; status: string }[] }
    return data.filter((post) => post.caption === caption).map(({ status }) => status)
  }

  for (const [way, command] of Object.entries(ways)) {
    const draft = await runAgent([`A draft over ${way}`], { ...env, ...command })
    t.strictSame([draft.code, draft.stderr], [0, ''], way)
    t.match(draft.lines, [/^list_accounts: /, /^create_post: Draft \S+ is stored\. The post can be published\./])
    t.strictSame(await statusOf(`A draft over ${way}`), ['draft'])

    const post = await runAgent([`A post over ${way}`, 'confirm'], { ...env, ...command })
    t.strictSame([post.code, post.stderr], [0, ''], way)
    t.match(
      post.lines.at(-1),
      /^get_post: Post \S+ is published: sandbox @demo .* published https:\/\/sandbox\.invalid\//,
    )
    t.strictSame(await statusOf(`A post over ${way}`), ['published'])
  }
})

t.test('the agent says what is missing without a key', async (t) => {
  const { code, stderr } = await runAgent([], {})
  t.not(code, 0)
  t.match(stderr, 'Set POSTROOM_KEY to an API key')
})
