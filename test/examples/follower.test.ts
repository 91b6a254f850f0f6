import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { Postroom } from '../../src/clients/sdk/index.ts'
import { createFolder } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { endChild } from '../helpers/processes.ts'
import { until } from '../helpers/until.ts'

const spawnFollower = (args: string[], env: Record<string, string>) =>
  spawn(process.execPath, ['test/examples/follower.ts', ...args], { env: { PATH: process.env.PATH, ...env } })

/** Starts the follower. `ids` are those of the events that it has printed. */
function startFollower(t: Test, file: string, env: Record<string, string>) {
  const child = spawnFollower([file], env)
  t.teardown(() => endChild(child, 'SIGKILL'))
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text
    })
  }
  const ids = () => [...output.stdout.matchAll(/^(\S+) .*\n/gm)].map(([, id]) => id!)
  const end = async (signal: NodeJS.Signals) => {
    const closed = once(child, 'close')
    child.kill(signal)
    const [code] = await closed
    return { code, stderr: output.stderr }
  }
  return { ids, end }
}

async function createScene(t: Test) {
  const service = await runService('start', {
    DATABASE_URL: await createDatabase(t),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  })
  t.teardown(() => service.stop('SIGKILL'))
  const { api, key } = service.facts as { api: string; key: string }
  const client = new Postroom({ key, baseUrl: api })
  const { data: accounts } = await client.accounts.list()
  const posts = Array.from({ length: 20 }, () => ({ accountIds: [accounts[0]!.id] }))
  /** Creates drafts. Returns the ids of all events since the beginning, when they can be read. */
  const write = async (): Promise<string[]> => {
    const known = new Set((await listEvents()).map(({ id }) => id))
    const { data } = await client.posts.createMany({ posts })
    const events = await until('the events of the posts can be read', listEvents, {
      isMet: (events) => events.filter(({ id }) => !known.has(id)).length >= data.length,
    })
    return events.map(({ id }) => id)
  }
  const listEvents = async () => {
    const events = []
    for (let after: string | undefined; ; ) {
      const page = await client.events.list({ limit: 100, ...(after && { after }) })
      events.push(...page.data)
      if (!page.hasMore) return events
      after = page.nextCursor
    }
  }
  return { write, env: { POSTROOM_API: api, POSTROOM_KEY: key } }
}

t.test('the follower goes on where it was stopped, and misses nothing where it was killed', async (t) => {
  const { write, env } = await createScene(t)
  const file = join(await createFolder(t), 'cursor.txt')
  const follow = () => startFollower(t, file, env)

  const first = follow()
  const before = await write()
  await until('the first follower has all events', first.ids, { isMet: (ids) => ids.length >= before.length })
  t.strictSame(await first.end('SIGTERM'), { code: 0, stderr: '' })

  const meanwhile = await write()
  // Events of the demo may have come after those of the posts.
  const followed = first.ids().length
  t.strictSame(first.ids(), meanwhile.slice(0, followed))
  const second = follow()
  await until('the second follower has begun', second.ids, { isMet: (ids) => ids.length > 0 })
  await second.end('SIGKILL')
  t.equal(second.ids()[0], meanwhile[followed], 'the first event after the stop')

  const all = await write()
  const third = follow()
  await until('the third follower has the last event', third.ids, { isMet: (ids) => ids.at(-1) === all.at(-1) })
  t.strictSame([...new Set([...first.ids(), ...second.ids(), ...third.ids()])], all)
  t.strictSame(await third.end('SIGINT'), { code: 0, stderr: '' })
})

t.test('the follower says what is missing without a key', async (t) => {
  const child = spawnFollower([], {})
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  t.not(code, 0)
  t.match(stderr, 'Set POSTROOM_KEY to an API key')
})
