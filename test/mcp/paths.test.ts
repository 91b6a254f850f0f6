import t from 'tap'
import { TOOLS } from '../../src/features/mcp/tools.ts'
import { createWorld } from '../helpers/app.ts'
import { callTool } from '../helpers/mcp.ts'
import { collectProblems } from '../helpers/problems.ts'

/** Texts that URLs resolve, decode, cut off or split where they are not encoded, and some that are only like those. */
const SEGMENTS = [
  ...['.', '..', '', '...', '%2e', '%2E%2e', './', '../', '../..', '/', '//x', 'a/b', 'a\\b', '\\..\\', '..%2f', '%2f'],
  ...[
    '?',
    '?limit=1',
    '#',
    ';',
    ':',
    '@',
    'a?b#c',
    ' ',
    '\t',
    '.\n',
    '%',
    '%zz',
    '%00',
    'ä',
    '\u{1F600}',
    '..;/',
    'retry',
  ],
]

/** Bodies of operations that require one besides their path. */
const BODIES: Record<string, object> = {
  retry_delivery: { confirm: true },
  update_post: { confirm: true, caption: 'a' },
  resolve_delivery: { outcome: 'published' },
}

t.test('an argument in a path leads to no other operation, whatever it is', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('x')
  const { id } = (await ada.call('POST', '/posts', { accountIds: [account], caption: 'a' })).body
  const known: Record<string, string> = { id, accountId: account, field: 'boardId' }

  const reached: string[] = []
  const inject = app.inject.bind(app) as (options: unknown) => ReturnType<typeof app.inject>
  const recording = (options: { method: string; url: string }) => {
    // As a server reads it.
    reached.push(`${options.method} ${new URL(options.url, 'http://localhost').pathname}`)
    return inject(options)
  }
  const { problems, check } = collectProblems()
  for (const { name, operation } of TOOLS) {
    const names = [...operation.url.matchAll(/:(\w+)/g)].map(([, name]) => name!)
    const pattern = new RegExp(`^/api/v1${operation.url.replaceAll(/:\w+/g, '[^/]+')}$`)
    for (const changed of names) {
      for (const segment of SEGMENTS) {
        const path = Object.fromEntries(names.map((name) => [name, known[name]!]))
        const args = { ...path, [changed]: segment, ...BODIES[name] }
        const request = callTool(ada, name, args)
        Object.assign(app, { inject: recording })
        const { isError, body } = await request
        Object.assign(app, { inject })
        const turn = `${name} ${changed}=${JSON.stringify(segment)}`
        check([isError, [400, 404].includes(body.status)], [true, true], `${turn}: ${JSON.stringify(body)}`)
        // Before its change, a tool may look at the post.
        const others = reached.splice(0).filter((url) => {
          const [method, target] = url.split(' ') as [string, string]
          return !(method === operation.method && pattern.test(target)) && !/^GET \/api\/v1\/posts\/[^/]+$/.test(url)
        })
        check(others, [], turn)
      }
    }
  }
  t.strictSame(problems, [])
})

t.test('a retry of a delivery whose account is a dot publishes nothing', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account('x')]
  const { id } = (await ada.call('POST', '/posts', { accountIds, scheduledAt: '2020-01-01T00:00:00Z', caption: 'a' }))
    .body
  await db.updateTable('postTargets').set({ state: 'failed' }).execute()
  const { isError, body } = await callTool(ada, 'retry_delivery', { id, accountId: '.', confirm: true })
  t.strictSame([isError, body.status, body.code, body.details[0].path], [true, 400, 'invalid_request', ['accountId']])
  const { state } = await db.selectFrom('postTargets').select('state').executeTakeFirstOrThrow()
  t.equal(state, 'failed')
})
