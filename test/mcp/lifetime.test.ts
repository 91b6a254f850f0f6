import { execFileSync } from 'node:child_process'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { callTool, listTools } from '../helpers/mcp.ts'

t.test('the SDK is loaded at the first message, and not by a service without agents', async (t) => {
  const printed = execFileSync(process.execPath, ['test/mcp/loading-process.ts'], { encoding: 'utf8' })
  t.strictSame(JSON.parse(printed), { isLoadedBefore: false, isLoadedAfter: true })
})

t.test('a service that stops does not begin another operation, and says that the agent may call again', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('x')
  await listTools(ada)
  // The request is accepted before the service stops, and its tool called afterwards.
  const inject = app.inject.bind(app) as (options: unknown) => ReturnType<typeof app.inject>
  let closed: Promise<undefined> | undefined
  const stopping = (options: unknown) => {
    closed ??= app.close()
    return inject(options)
  }
  const called = callTool(ada, 'create_post', { accountIds: [account], caption: 'a' })
  Object.assign(app, { inject: stopping })
  const { isError, body } = await called
  t.strictSame([isError, body.status, body.code], [true, 503, 'stopping'])
  t.match(body.error, 'call the tool again')
  await closed
})
