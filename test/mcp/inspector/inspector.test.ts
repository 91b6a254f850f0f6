import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createFolder } from '../../helpers/app.ts'
import { runService } from '../../helpers/command.ts'
import { copyDatabase } from '../../helpers/database.ts'
import { readResult } from '../../helpers/mcp.ts'
import { until } from '../../helpers/until.ts'
import { outputOf, startInspector } from './run-inspector.ts'

const run = (args: string[], home: string) => outputOf(startInspector(args, { HOME: home }))

t.test('the inspector lists, validates, drafts, confirms and follows a delivery, over HTTP and stdio', async (t) => {
  const service = await runService('start', {
    DATABASE_URL: await copyDatabase(t, 'template0'),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  })
  t.teardown(() => service.stop('SIGKILL'))
  const home = await createFolder(t)
  const { api, key } = service.facts as { api: string; key: string }
  const { origin } = new URL(api)
  const program = [process.execPath, 'src/cli/postroom.ts', 'mcp']
  const ways = {
    HTTP: { target: [`${origin}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`], after: [] },
    stdio: { target: ['-e', `POSTROOM_URL=${origin}`, '-e', `POSTROOM_KEY=${key}`], after: ['--', ...program] },
  }

  for (const [way, { target, after }] of Object.entries(ways)) {
    const list = await run([...target, '--method', 'tools/list', '--strict', ...after], home)
    t.strictSame([list.code, list.stderr], [0, ''], `${way}: every client can use the schemas`)
    t.ok(JSON.parse(list.stdout).tools.length >= 12)

    const call = async (name: string, args: Record<string, unknown>) => {
      const pairs = Object.entries(args).map(
        ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      )
      const given = pairs.length > 0 ? ['--tool-arg', ...pairs] : []
      const { code, stdout, stderr } = await run(
        [...target, '--method', 'tools/call', '--tool-name', name, ...given, ...after],
        home,
      )
      if (stdout === '') throw new Error(`${name}: ${code} ${stderr}`)
      return readResult(JSON.parse(stdout))
    }
    const accounts: { id: string; platform: string }[] = (await call('list_accounts', {})).body.data
    const accountIds = [accounts.find(({ platform }) => platform === 'sandbox')!.id]
    const tooLong = await call('validate_post', { accountIds, caption: 'a'.repeat(281) })
    t.equal(tooLong.body.violations[0].rule, 'caption_length')
    const rejected = await call('create_post', { accountIds, caption: 'a'.repeat(281) })
    t.strictSame([rejected.isError, rejected.body.code], [true, 'platform_limit'])

    const { id, status } = (await call('create_post', { accountIds, caption: `Inspected over ${way}` })).body
    t.equal(status, 'draft')
    const confirmed = await call('update_post', { id, scheduledAt: '2020-01-01T00:00:00Z', confirm: true })
    t.equal(confirmed.isError, false, confirmed.text)
    const post = await until('the post is published', async () => (await call('get_post', { id })).body, {
      isMet: ({ status }) => status === 'published',
    })
    t.equal(post.targets[0].delivery.state, 'published')
  }
})
