import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import t from 'tap'
import { createFolder } from '../../helpers/app.ts'
import { runService } from '../../helpers/command.ts'
import { copyDatabase } from '../../helpers/database.ts'
import { readResult } from '../../helpers/mcp.ts'
import { freePorts } from '../../helpers/ports.ts'
import { outputOf, startInspector } from './run-inspector.ts'

/** Does what a person does in a browser: signs in with a key, ticks nothing, allows, and follows the way back. */
async function consent(address: string, key: string): Promise<void> {
  const submit = (form: Record<string, string>) =>
    fetch(address, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  const page = await (await submit({ key })).text()
  const [, proof] = /name="proof" value="(\w+)"/.exec(page) ?? []
  if (!proof) throw new Error(`no question for consent: ${page}`)
  const { headers, status } = await submit({ proof, decision: 'allow' })
  const location = headers.get('location')
  if (!location) throw new Error(`no way back: ${status}`)
  await fetch(location)
}

t.test('the inspector connects by OAuth, lists the tools, makes a draft, and may not publish', async (t) => {
  const service = await runService('start', {
    DATABASE_URL: await copyDatabase(t, 'template0'),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  })
  t.teardown(() => service.stop('SIGKILL'))
  const { api, key } = service.facts as { api: string; key: string }
  const { origin } = new URL(api)
  const [port] = await freePorts(1)
  const env = {
    HOME: await createFolder(t),
    MCP_AUTO_OPEN_ENABLED: 'true',
    MCP_INSPECTOR_SECRET_STORE: 'file',
  }
  const server = [`${origin}/mcp`, '--transport', 'http', '--callback-url', `http://127.0.0.1:${port}/oauth/callback`]
  const call = async (name: string, args: object) => {
    const given = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)]
    const { code, stdout, stderr } = await outputOf(startInspector([...server, '--stored-auth-only', ...given], env))
    if (stdout === '') throw new Error(`${name}: ${code} ${stderr}`)
    return readResult(JSON.parse(stdout))
  }

  const inspector = startInspector([...server, '--method', 'tools/list'], env)
  t.teardown(() => inspector.kill('SIGKILL'))
  const output = outputOf(inspector)
  let printed = ''
  let address: string | undefined
  while (!address) {
    const [chunk] = await once(inspector.stderr!, 'data', { signal: AbortSignal.timeout(60_000) })
    printed += chunk
    address = /^Please navigate to: (\S+)\n/m.exec(printed)?.[1]
  }
  await consent(address, key)
  const { code, stdout } = await output
  t.equal(code, 0, printed)
  const names = JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)
  t.strictSame([names.includes('create_post'), names.includes('publish_post')], [true, false], 'tools for drafts')

  const accounts: { id: string; platform: string }[] = (await call('list_accounts', {})).body.data
  const accountIds = [accounts.find(({ platform }) => platform === 'sandbox')!.id]
  const draft = await call('create_post', { accountIds, caption: 'By the inspector' })
  t.equal(draft.body.status, 'draft')
  const scheduled = { accountIds, caption: 'By the inspector', scheduledAt: '2030-01-15T09:30:00Z', confirm: true }
  const refused = await call('create_post', scheduled)
  t.strictSame([refused.isError, refused.body.code], [true, 'insufficient_scope'])
})
