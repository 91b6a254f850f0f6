import t from 'tap'
import { TOOLS } from '../../src/features/mcp/tools.ts'
import { createWorld } from '../helpers/app.ts'
import { callTool, listTools, withKey } from '../helpers/mcp.ts'

const UNKNOWN_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'
const LATER = '2999-01-01T00:00:00Z'

async function createScene(t: Parameters<typeof createWorld>[0]) {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('x')
  const posts = async (): Promise<{ id: string; status: string; caption: string }[]> =>
    (await ada.call('GET', '/posts')).body.data
  return { ...world, ada, account, posts }
}

t.test('a post is scheduled with a time and a confirmation, and is a draft without either', async (t) => {
  const { ada, account, posts } = await createScene(t)
  const cases: [args: object, status: string][] = [
    [{}, 'draft'],
    [{ scheduledAt: LATER }, 'draft'],
    [{ scheduledAt: LATER, confirm: false }, 'draft'],
    [{ confirm: true }, 'draft'],
    [{ scheduledAt: LATER, confirm: true }, 'scheduled'],
    [{ scheduledAt: LATER, accountOverrides: [{ accountId: account, scheduledAt: LATER }] }, 'draft'],
    [
      { scheduledAt: LATER, accountOverrides: [{ accountId: account, scheduledAt: LATER }], confirm: true },
      'scheduled',
    ],
  ]
  for (const [index, [args, status]] of cases.entries()) {
    const { body, text } = await callTool(ada, 'create_post', { accountIds: [account], caption: `${index}`, ...args })
    if (status === 'scheduled') t.match(text, 'It costs $0.015', 'what X charges')
    t.equal(body.status, status, JSON.stringify(args))
    t.equal('validation' in body, status === 'draft', 'the answer to a draft has its validation')
    t.equal((await posts())[0]!.status, status)
  }
})

t.test('the validation of a draft says what confirming it would meet', async (t) => {
  const { ada } = await createScene(t)
  const accountIds = [await ada.account('instagram')]
  const { body, text } = await callTool(ada, 'create_post', { accountIds, caption: 'No file', scheduledAt: LATER })
  t.equal(body.status, 'draft')
  t.strictSame([body.validation.create.status, body.validation.publishable], [400, false])
  t.equal(body.validation.violations[0].rule, 'media_required')
  t.match(text, 'at least 1 is required')
  t.match(text, 'because confirm was not true')
})

t.test('a change that would be published needs a confirmation, and changes nothing without it', async (t) => {
  const { ada, account } = await createScene(t)
  const { id } = (await callTool(ada, 'create_post', { accountIds: [account], caption: 'a', mediaFit: 'auto' })).body
  t.match((await ada.call('GET', `/posts/${id}`)).body, { mediaFit: 'auto' })
  const get = async () => (await ada.call('GET', `/posts/${id}`)).body
  const refused = async (args: object) => {
    const before = await get()
    const { isError, body } = await callTool(ada, 'update_post', { id, ...args })
    t.strictSame([isError, body.status, body.code], [true, 400, 'confirmation_required'], JSON.stringify(args))
    t.strictSame(await get(), before)
  }
  await refused({ scheduledAt: LATER })
  t.equal((await callTool(ada, 'update_post', { id, caption: 'b' })).body.caption, 'b', 'a draft may change')
  t.equal((await callTool(ada, 'update_post', { id, scheduledAt: LATER, confirm: true })).body.status, 'scheduled')
  await refused({ caption: 'c' })
  await refused({ scheduledAt: '2998-01-01T00:00:00Z' })
  t.equal((await callTool(ada, 'update_post', { id, caption: 'c', confirm: true })).body.caption, 'c')
})

t.test('a draft that somebody schedules meanwhile is not changed without a confirmation', async (t) => {
  const { app, ada, account } = await createScene(t)
  const { id } = (await callTool(ada, 'create_post', { accountIds: [account], caption: 'a' })).body
  // Between the look at the post and its change.
  const inject = app.inject.bind(app) as (options: unknown) => ReturnType<typeof app.inject>
  const racing = async (options: { method?: string }) => {
    const reply = await inject(options)
    Object.assign(app, { inject })
    if (options.method === 'GET') await ada.call('PATCH', `/posts/${id}`, { scheduledAt: LATER })
    return reply
  }
  const request = callTool(ada, 'update_post', { id, caption: 'b' })
  Object.assign(app, { inject: racing })
  const { body } = await request
  t.strictSame([body.status, body.code], [412, 'precondition_failed'])
  const post = (await ada.call('GET', `/posts/${id}`)).body
  t.strictSame([post.status, post.caption], ['scheduled', 'a'])
})

t.test('a key that may not read posts cannot tell a draft, and has to confirm', async (t) => {
  const scene = await createScene(t)
  const { ada, account } = scene
  const publisher = await withKey(scene, ada, { scopes: ['posts:publish'] })
  const { body: draft } = await callTool(publisher, 'create_post', { accountIds: [account], caption: 'a' })
  t.strictSame([draft.status, 'validation' in draft], ['draft', false], 'it cannot validate either')
  const { id } = draft
  t.equal((await callTool(publisher, 'update_post', { id, caption: 'b' })).body.code, 'confirmation_required')
  t.equal((await callTool(publisher, 'update_post', { id, caption: 'b', confirm: true })).body.caption, 'b')
})

t.test('the same call creates one post a day, and another key of the caller another one', async (t) => {
  const { ada, account, posts } = await createScene(t)
  const args = { accountIds: [account], caption: 'Once', scheduledAt: LATER, confirm: true }
  const calls = await Promise.all(Array.from({ length: 5 }, () => callTool(ada, 'create_post', args)))
  t.equal(new Set(calls.map(({ body }) => body.id)).size, 1)
  t.equal(calls.filter(({ body }) => !body.replayed).length, 1, 'one of them has created it')
  t.equal((await posts()).length, 1)

  await callTool(ada, 'create_post', { ...args, caption: 'Twice' })
  t.equal((await posts()).length, 2, 'another text is another post')
  const named = { ...args, idempotencyKey: 'second' }
  const { body: second } = await callTool(ada, 'create_post', named)
  t.strictSame([second.replayed, (await posts()).length], [false, 3])
  t.equal((await callTool(ada, 'create_post', named)).body.id, second.id)
  const reused = await callTool(ada, 'create_post', { ...named, caption: 'Other' })
  t.strictSame([reused.isError, reused.body.code], [true, 'idempotency_key_reused'])
  t.equal((await posts()).length, 3)

  t.intercept(Date.prototype, 'toISOString', { value: () => '2999-01-02T00:00:00.000Z' })
  t.equal((await callTool(ada, 'create_post', args)).body.replayed, false, 'tomorrow it is another post')
})

t.test('a delivery is retried with a confirmation only, with its content or with another', async (t) => {
  const { db, ada, account } = await createScene(t)
  const { id } = (await ada.call('POST', '/posts', { accountIds: [account], caption: 'a', scheduledAt: LATER })).body
  await db.updateTable('postTargets').set({ state: 'failed' }).execute()
  const get = async () => (await ada.call('GET', `/posts/${id}`)).body
  const before = await get()
  for (const args of [{}, { captionOverride: 'b' }, { captionOverride: 'b', confirm: false }]) {
    const { isError, body } = await callTool(ada, 'retry_delivery', { id, accountId: account, ...args })
    t.strictSame([isError, body.status, body.code], [true, 400, 'confirmation_required'], JSON.stringify(args))
  }
  t.strictSame(await get(), before, 'nothing has changed')
  const args = { id, accountId: account, captionOverride: 'b', confirm: true }
  const { body } = await callTool(ada, 'retry_delivery', args)
  t.strictSame([body.targets[0].captionOverride, body.targets[0].delivery.state], ['b', 'queued'])
})

t.test('a confirmation names the effect of its tool', async (t) => {
  const { ada } = await createScene(t)
  const effects = {
    publish_post: 'The call publishes now',
    retry_delivery: 'The call publishes now',
    edit_delivery: 'The call changes the published post',
    remove_delivery: 'The call deletes the published post from this account, for good',
    remove_post: 'The call deletes the published post from all its accounts, for good',
  }
  const args = { id: UNKNOWN_ID, accountId: UNKNOWN_ID, text: 'b' }
  const tools = await listTools(ada)
  for (const [name, effect] of Object.entries(effects)) {
    const { properties } = tools.find((tool) => tool.name === name)!.inputSchema
    t.match(properties.confirm!.description, `${effect}: only after`, name)
    const taken = Object.fromEntries(Object.entries(args).filter(([name]) => name in properties))
    const { body } = await callTool(ada, name, taken)
    t.strictSame(
      [body.code, body.error],
      ['confirmation_required', `${effect}: call the tool again with confirm: true`],
    )
  }
})

t.test('an agent renames an account alone, and changes what later posts get with a confirmation', async (t) => {
  const ada = await (await createWorld(t)).user()
  const id = await ada.account('sandbox')
  const { body: renamed } = await callTool(ada, 'update_account', { id, displayName: 'B' })
  t.equal(renamed.displayName, 'B')
  const args = { id, displayName: 'C', defaultFields: { boardId: '1' } }
  const { isError, body } = await callTool(ada, 'update_account', args)
  t.strictSame([isError, body.code], [true, 'confirmation_required'])
  t.strictSame((await ada.call('GET', `/accounts/${id}`)).body.displayName, 'B', 'nothing has changed')
  const { body: changed } = await callTool(ada, 'update_account', { ...args, confirm: true })
  t.match(changed, { displayName: 'C', defaultFields: { boardId: '1' } })
})

t.test(
  'every tool whose operation may require posts:publish takes a confirmation, but for three that publish nothing',
  async (t) => {
    const { user } = await createWorld(t)
    const tools = await listTools(await user())
    const confirmed = tools.filter(({ inputSchema }) => 'confirm' in inputSchema.properties).map(({ name }) => name)
    const publishing = TOOLS.filter(({ operation: { scope, conditionalScope } }) =>
      [scope, conditionalScope?.scope].includes('posts:publish'),
    ).map(({ name }) => name)
    t.strictSame([...confirmed, 'cancel_delivery', 'delete_post', 'resolve_delivery'], publishing)
  },
)
