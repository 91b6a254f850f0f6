import t from 'tap'
import { postroom } from '../helpers/command.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, startReceiver, untilReceived } from '../webhooks/scene.ts'

t.test('an operator sees which webhooks fail, disables all of a copy, and enables one', async (t) => {
  const world = await createWebhookWorld(t)
  const { hook, emit, dispatch, ada, databaseUrl } = world
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await postroom([...args, '--json'], { DATABASE_URL: databaseUrl })
    t.strictSame([code, stderr], [0, ''], args.join(' '))
    return JSON.parse(stdout)
  }
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
  const text = async (...args: string[]) => (await postroom(args, { DATABASE_URL: databaseUrl })).stdout

  const healthy = await startReceiver(t)
  const broken = await startReceiver(t, (response) => response.writeHead(500).end())
  const gone = await startReceiver(t, (response) => response.writeHead(410).end())
  const hooks = { healthy: await hook(healthy), broken: await hook(broken), gone: await hook(gone) }
  const owned = await hook(await startReceiver(t), { url: 'http://127.0.0.1:1/path-secret?token=query-secret' })
  await ada.call('PATCH', `/webhooks/${owned.id}`, { state: 'disabled' })
  await emit()
  const { stop } = dispatch(t)
  await until('two webhooks fail', () => json('webhook', 'list', '--failing'), {
    isMet: (list) => list.data.length === 2,
  })
  await untilReceived(healthy, 1)
  await stop()

  const failing = await json('webhook', 'list', '--failing')
  t.strictSame(idsOf(failing), [hooks.gone.id, hooks.broken.id])
  const host = new URL(broken.url).host
  t.hasStrict(failing.data[1], { host, state: 'active', disabledReason: null, userId: ada.id, userName: 'someone' })
  t.hasStrict(failing.data[0], { state: 'disabled', disabledReason: 'gone', failures: 1 })
  const all = await json('webhook', 'list')
  t.strictSame(idsOf(all), [owned.id, hooks.gone.id, hooks.broken.id, hooks.healthy.id])
  t.notMatch(JSON.stringify(all), /secret/, 'neither the path nor the query of a URL')
  const table = await text('webhook', 'list', '--failing')
  t.match(table, /^id +host +state +failing since +failures +owner +events of\n/)
  t.match(table, new RegExp(`${hooks.gone.id}  127\\.0\\.0\\.1:\\d+ +disabled: gone  20`))

  const active = [hooks.healthy.id, hooks.broken.id].sort()
  const { disabled } = await json('webhook', 'disable', '--all')
  t.strictSame(disabled.sort(), active)
  t.strictSame(await json('webhook', 'disable', '--all'), { disabled: [] })
  const stateOf = async (id: string) => {
    const { body } = await ada.call('GET', `/webhooks/${id}`)
    return [body.state, body.disabledReason, body.failingSince]
  }
  t.strictSame(await stateOf(hooks.healthy.id), ['disabled', 'owner', null])
  t.strictSame((await stateOf(hooks.gone.id)).slice(0, 2), ['disabled', 'gone'], 'why it was disabled is kept')
  await emit()
  t.strictSame(await world.log(hooks.healthy.id).then((rows) => rows.length), 1, 'no event is queued for it')

  t.strictSame(await json('webhook', 'enable', hooks.broken.id), { id: hooks.broken.id, state: 'active' })
  t.strictSame(await stateOf(hooks.broken.id), ['active', null, null])
  t.equal(await text('webhook', 'disable', hooks.broken.id), 'disabled  1\n')
  t.strictSame(await stateOf(hooks.broken.id), ['disabled', 'owner', null])
  for (const command of ['enable', 'disable']) {
    const unknown = await postroom(['webhook', command, ada.id], { DATABASE_URL: databaseUrl })
    t.strictSame([unknown.code, unknown.stderr], [1, 'error: There is no webhook with this id\n'])
  }
})

t.test('an operator sees whose events a webhook gets', async (t) => {
  const { db, ada, hook, organization, databaseUrl } = await createWebhookWorld(t)
  const receiver = await startReceiver(t)
  const organizationId = await organization(ada)
  const hooks = { own: await hook(receiver), all: await hook(receiver), shared: await hook(receiver) }
  await db.updateTable('webhooks').set({ allUsers: true }).where('id', '=', hooks.all.id).execute()
  await db.updateTable('webhooks').set({ organizationId }).where('id', '=', hooks.shared.id).execute()
  const list = async (...args: string[]) =>
    (await postroom(['webhook', 'list', ...args], { DATABASE_URL: databaseUrl })).stdout
  t.match(JSON.parse(await list('--json')).data, [
    { id: hooks.shared.id, allUsers: false, organizationId },
    { id: hooks.all.id, allUsers: true, organizationId: null },
    { id: hooks.own.id, allUsers: false, organizationId: null },
  ])
  const [, ...lines] = (await list()).trimEnd().split('\n')
  const expected = [`organisation ${organizationId}`, 'all users', 'its owner']
  t.ok(lines.every((line, index) => line.endsWith(`  ${expected[index]}`)))
})
