import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { DELIVERY_STATES } from '../../schemas/delivery-states.ts'
import { TOOLS } from '../../src/features/mcp/tools.ts'
import { createWorld } from '../helpers/app.ts'
import { callTool, listTools, send, withKey } from '../helpers/mcp.ts'
import { jpeg } from '../helpers/upload.ts'

/** The tools as README.md lists them for the people whose clients call them by name. */
const LISTED = [
  ...readFileSync('src/features/mcp/README.md', 'utf8').matchAll(/^\| `(\w+)` \| `\w+` \| (\S+) \| ([^|]*) \|$/gm),
].map(([, name, scope, annotations]) => ({
  name: name!,
  scope: scope!.replaceAll('`', ''),
  annotations: annotations!.match(/\w+/g) ?? [],
}))
/** The error of the API, for a key that is offered no `confirm`. */
const LACKS_PUBLISH = {
  isError: true,
  body: { status: 403, code: 'insufficient_scope', error: 'This API key lacks the scope posts:publish' },
}
const NAMES = LISTED.map(({ name }) => name)

t.test('every tool has schemas of both sides, and says whether it reads, destroys or publishes', async (t) => {
  const { user } = await createWorld(t)
  const tools = await listTools(await user())
  t.strictSame(
    tools.map(({ name, annotations: { title, ...hints } }) => [name, Object.keys(hints).filter((hint) => hints[hint])]),
    LISTED.map(({ name, annotations }) => [name, annotations]),
    'as README.md lists them, in a fixed order',
  )
  const ajv = new Ajv2020({ validateFormats: false, strictTypes: true })
  for (const { name, title, annotations, inputSchema, outputSchema } of tools) {
    t.strictSame(Object.keys(annotations).sort(), [
      ...['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint', 'title'],
    ])
    t.equal(annotations.title, title)
    t.doesNotThrow(() => ajv.compile(inputSchema), `${name}: arguments`)
    t.doesNotThrow(() => ajv.compile(outputSchema), `${name}: result`)
    t.equal(outputSchema.type, 'object')
    t.notMatch(JSON.stringify(inputSchema), /"\$(?:ref|defs)"/, `${name}: its arguments need no other definition`)
    for (const [argument, { description }] of Object.entries(inputSchema.properties)) {
      t.ok(description, `${name}: ${argument} is described`)
    }
  }
})

t.test('a tool that only reads says so, and one that publishes or deletes says that it destroys', async (t) => {
  const { user } = await createWorld(t)
  const having = new Map((await listTools(await user())).map(({ name, annotations }) => [name, annotations]))
  for (const { name, operation } of TOOLS) {
    const isDestructive = operation.scope === 'posts:publish' || operation.method === 'DELETE'
    const isRead = operation.method === 'GET' || operation.scope?.endsWith(':read') === true
    t.match(having.get(name), { readOnlyHint: isRead, ...(isDestructive && { destructiveHint: true }) }, name)
  }
  t.match(having.get('update_post'), { destructiveHint: true }, 'it replaces a text')
})

t.test('descriptions name tools, and not the operations of the API', async (t) => {
  const { user } = await createWorld(t)
  const text = JSON.stringify((await listTools(await user())).map(({ inputSchema }) => inputSchema))
  t.match(text, 'from `list_accounts`')
  t.notMatch(text, /`(?:listAccounts|getPost|createPost|validatePost)`/)
})

t.test('a key sees only the tools that it may use, and cannot call the others', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('x')
  const visible = async (rights: Parameters<typeof withKey>[2]) =>
    (await listTools(await withKey(world, ada, rights))).map(({ name }) => name)
  for (const each of [
    'accounts:read',
    'posts:read',
    'posts:write',
    'media:read',
    'media:write',
    'keys:manage',
  ] as const) {
    const allowed = LISTED.filter(({ scope }) => scope === each || scope === 'any').map(({ name }) => name)
    t.strictSame(await visible({ scopes: [each] }), allowed, each)
  }
  t.strictSame(await visible({ accountIds: [account] }), NAMES)

  const reader = await withKey(world, ada, { scopes: ['posts:read'] })
  const { status, body } = await send(reader, 'tools/call', {
    name: 'create_post',
    arguments: { accountIds: [account] },
  })
  t.strictSame([status, body.error.code], [200, -32602])
  t.match(body.error.message, 'not allowed to this API key: create_post')
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])
})

t.test('a key without posts:publish is offered neither a time nor a confirmation', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const accountIds = [await ada.account('x')]
  const author = await withKey(world, ada, { scopes: ['posts:read', 'posts:write'] })
  const argumentsOf = async (person: typeof author, tool: string) =>
    Object.keys((await listTools(person)).find(({ name }) => name === tool)!.inputSchema.properties)
  for (const tool of ['create_post', 'update_post']) {
    const full = await argumentsOf(ada, tool)
    const offered = await argumentsOf(author, tool)
    t.strictSame(
      full.filter((name) => !offered.includes(name)),
      ['scheduledAt', 'timeZone', 'fold', 'schedule', 'confirm'],
    )
  }
  for (const confirmed of [{}, { confirm: false }, { confirm: true }]) {
    const args = { accountIds, caption: 'a', scheduledAt: '2030-01-01T00:00:00Z', ...confirmed }
    t.match(await callTool(author, 'create_post', args), LACKS_PUBLISH)
  }
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])
  const draft = await callTool(author, 'create_post', { accountIds, caption: 'a' })
  t.equal(draft.body.status, 'draft')
  t.notMatch(draft.text, 'confirm', 'the answer does not advise what the key cannot do')
})

t.test('a key without posts:publish gets insufficient_scope, and no advice to confirm', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const accountIds = [await ada.account('sandbox')]
  const create = async (scheduledAt?: string) =>
    (await ada.call('POST', '/posts', { accountIds, caption: 'a', scheduledAt })).body.id
  const [draft, scheduled] = [await create(), await create('2999-01-01T00:00:00Z')]
  const account = (await ada.call('GET', `/accounts/${accountIds[0]}`)).body
  const author = await withKey(world, ada, { scopes: ['posts:write', 'accounts:connect'] })
  for (const [tool, args] of [
    ['update_post', { id: scheduled, caption: 'b' }],
    ['update_post', { id: draft, caption: 'b', scheduledAt: '2999-01-01T00:00:00Z' }],
    ['update_post', { id: draft, caption: 'b', schedule: { queue: 'next' } }],
    ['update_account', { id: accountIds[0], displayName: 'B', defaultFields: { boardId: '1' } }],
  ] as const) {
    t.match(await callTool(author, tool, args), LACKS_PUBLISH, JSON.stringify(args))
  }
  for (const id of [draft, scheduled]) t.equal((await ada.call('GET', `/posts/${id}`)).body.caption, 'a')
  t.strictSame((await ada.call('GET', `/accounts/${accountIds[0]}`)).body, account)
  t.equal((await callTool(author, 'update_post', { id: draft, caption: 'b' })).body.caption, 'b', 'a draft may change')
  t.equal((await callTool(author, 'update_account', { id: accountIds[0], displayName: 'B' })).body.displayName, 'B')
})

t.test('a key without posts:publish reads nothing of publishing, in any text or schema', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const author = await withKey(world, ada, {
    scopes: ['accounts:read', 'posts:read', 'posts:write', 'media:read', 'media:write'],
  })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const read = async (person: typeof author) => {
    const { body } = await send(person, 'initialize', params)
    return { tools: await listTools(person), instructions: String(body.result.instructions) }
  }
  const [full, drafts] = [await read(ada), await read(author)]
  for (const word of [/\bconfirm\b/, /scheduledAt/, /timeZone/, /publish_post/, /retry_delivery/]) {
    t.notMatch(JSON.stringify(drafts.tools), word)
    t.notMatch(drafts.instructions, word)
    t.match(JSON.stringify(full.tools), word)
  }
  t.match(full.instructions, 'confirm: true')
  const isUnnamed = (state: string) => [full, drafts].some(({ instructions }) => !instructions.includes(state))
  t.strictSame(DELIVERY_STATES.filter(isUnnamed), [], 'every state of a delivery is named')
  t.match(full.instructions, 'remove_post and remove_delivery take it down again, but not on every network')
  t.match(drafts.instructions, 'create_post stores a draft')
  const ajv = new Ajv2020({ validateFormats: false, strictTypes: true })
  for (const { name, inputSchema, outputSchema } of drafts.tools) {
    t.doesNotThrow(() => [inputSchema, outputSchema].map((schema) => ajv.compile(schema)), name)
  }
})

t.test('an agent uploads a file as base64, finds it, and publishes it only with a confirmation', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account('sandbox')]
  const bytes = await jpeg()
  const file = bytes.toString('base64')
  const uploaded = await callTool(ada, 'upload_media', { file, fileName: 'dusk.jpg', altText: 'A lighthouse.' })
  t.hasStrict(uploaded.body, { mimeType: 'image/jpeg', bytes: bytes.length, fileName: 'dusk.jpg' })
  const again = await callTool(ada, 'upload_media', { file })
  t.equal(again.body.id, uploaded.body.id, 'the same bytes are the same file')
  const listed = await callTool(ada, 'list_media')
  t.strictSame(
    listed.body.data.map(({ id }: { id: string }) => id),
    [uploaded.body.id],
  )
  for (const wrong of [`data:image/jpeg;base64,${file}`, 'not base64!', Buffer.from('text').toString('base64')]) {
    const { isError, body } = await callTool(ada, 'upload_media', { file: wrong })
    t.strictSame([isError, body.status], [true, 400], wrong.slice(0, 30))
  }
  const large = await send(ada, 'tools/call', { name: 'upload_media', arguments: { file: 'A'.repeat(2 ** 20) } })
  t.equal(large.status, 413)

  const { id } = (await callTool(ada, 'create_post', { accountIds, mediaIds: [uploaded.body.id] })).body
  const refused = await callTool(ada, 'publish_post', { id })
  t.strictSame([refused.isError, refused.body.code], [true, 'confirmation_required'])
  t.equal((await callTool(ada, 'publish_post', { id, confirm: true })).body.status, 'scheduled')
  const cancelled = await callTool(ada, 'cancel_delivery', { id, accountId: accountIds[0] })
  t.equal(cancelled.body.targets[0].delivery.state, 'cancelled')
})
