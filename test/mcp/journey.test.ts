import { randomBytes } from 'node:crypto'
import t from 'tap'
import { runService, type Service } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { connectClient, overHttp, overStdio, readResult, VERSIONS } from '../helpers/mcp.ts'
import { until } from '../helpers/until.ts'

const TRANSPORTS = { HTTP: overHttp, stdio: overStdio }

let service: Service

t.before(async () => {
  service = await runService('start', {
    DATABASE_URL: await createDatabase(t),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  })
  t.teardown(() => service.stop('SIGKILL'))
})

for (const [name, open] of Object.entries(TRANSPORTS)) {
  for (const version of VERSIONS) {
    t.test(`an agent lists, checks, drafts, confirms and follows over ${name}, in ${version}`, async (t) => {
      const { api, key } = service.facts as { api: string; key: string }
      const client = await connectClient(t, open(api, key), version)
      t.equal(client.getNegotiatedProtocolVersion(), version)
      t.match(client.getInstructions(), 'confirm: true')
      const { tools } = await client.listTools()
      // Only after the list, the client compares results with their output schemas.
      t.ok(tools.length >= 12)
      const call = async (tool: string, args: Record<string, unknown>) =>
        readResult((await client.callTool({ name: tool, arguments: args })) as Parameters<typeof readResult>[0])

      const accounts: { id: string; platform: string }[] = (await call('list_accounts', {})).body.data
      const id = accounts.find(({ platform }) => platform === 'sandbox')!.id
      const post = { accountIds: [id], caption: `An agent over ${name} in ${version}` }
      t.ok((await call('list_platforms', {})).body.data.length > 10)
      t.equal((await call('get_limits', { id })).body.id, 'sandbox')

      const tooLong = await call('validate_post', { ...post, caption: 'a'.repeat(281) })
      t.strictSame([tooLong.isError, tooLong.body.violations[0].rule], [false, 'caption_length'])

      const scheduledAt = '2020-01-01T00:00:00Z'
      const draft = await call('create_post', { ...post, scheduledAt })
      t.strictSame([draft.body.status, draft.body.validation.publishable], ['draft', true])
      const { id: postId } = draft.body
      const unconfirmed = await call('update_post', { id: postId, scheduledAt })
      t.strictSame([unconfirmed.isError, unconfirmed.body.code], [true, 'confirmation_required'])
      t.equal((await call('get_post', { id: postId })).body.status, 'draft')
      const confirmed = await call('update_post', { id: postId, scheduledAt, confirm: true })
      t.equal(confirmed.isError, false)

      const published = await until(
        'the sandbox has the post',
        async () => (await call('get_post', { id: postId })).body,
        { isMet: ({ status }) => status === 'published' },
      )
      t.match(published.targets[0].delivery.externalUrl, 'https://sandbox.invalid/posts/')
      const { data: events } = (await call('list_events', { postId, types: ['delivery.*'], wait: 20 })).body
      t.strictSame(
        events.map(({ type, data }: { type: string; data: { accountId: string } }) => [type, data.accountId]),
        [['delivery.published', id]],
      )
      const listed = await call('list_posts', { status: ['published'], accountId: id })
      t.ok(listed.body.data.some((each: { id: string }) => each.id === postId))
      const tooLate = await call('delete_post', { id: postId })
      t.strictSame([tooLate.isError, tooLate.body.code], [true, 'post_published'])
    })
  }
}
