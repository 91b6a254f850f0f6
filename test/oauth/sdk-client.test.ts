import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import t from 'tap'
import { readResult } from '../helpers/mcp.ts'
import { until } from '../helpers/until.ts'
import { Provider } from './provider.ts'
import { createScene } from './scene.ts'

t.test('the client of the SDK finds the server, registers, gets tokens, calls a tool and refreshes', async (t) => {
  const { origin, user, approve, db } = await createScene(t)
  const ada = await user()
  await ada.account('sandbox')
  const provider = new Provider()
  const open = async () => {
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin), { authProvider: provider })
    const client = new Client({ name: 'test', version: '1' })
    t.teardown(() => client.close())
    return { client, transport }
  }

  const first = await open()
  await t.rejects(first.client.connect(first.transport), UnauthorizedError)
  const answer = await approve(provider.url.pathname + provider.url.search, ada.key)
  t.equal(answer.origin + answer.pathname, 'http://localhost:7777/callback')
  t.equal(answer.searchParams.get('state'), 'state-of-the-agent')
  await first.transport.finishAuth(answer.searchParams)

  const { client, transport } = await open()
  await client.connect(transport)
  const { tools } = await client.listTools()
  t.ok(tools.some(({ name }) => name === 'create_post'))
  t.notOk(
    tools.some(({ name }) => name === 'publish_post'),
    'it gets drafts only',
  )
  const result = readResult(await client.callTool({ name: 'list_accounts', arguments: {} }))
  t.equal(result.body.data.length, 1)

  const before = provider.kept!
  await db
    .updateTable('oauthTokens')
    .set({ expiresAt: new Date(0) })
    .where('type', '=', 'access')
    .execute()
  // A process knows a token for a second.
  await until('the client has other tokens', async () => {
    await client.callTool({ name: 'list_accounts', arguments: {} })
    return provider.kept!.access_token !== before.access_token
  })
  t.not(provider.kept!.refresh_token, before.refresh_token)
})
