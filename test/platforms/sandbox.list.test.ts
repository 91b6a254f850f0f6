import { randomUUID } from 'node:crypto'
import t from 'tap'
import { disconnectAccount } from '../../db/queries/disconnect.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { createSandboxAdapter } from '../../src/platforms/sandbox/adapter.ts'
import { actOf, clientOf, fileOf } from '../helpers/adapter-calls.ts'
import { createWorld, type World } from '../helpers/app.ts'

const senderTo = ({ db }: World) => {
  const { send } = clientOf(createSandboxAdapter(sandboxStore(db)))
  const io = { fetch, signal: new AbortController().signal, intend: async () => {} }
  return (act: Parameters<typeof actOf>[0]) => send(actOf({ token: randomUUID(), ...act }), { username: 'ada' }, io)
}

t.test('an owner sees the calls to the sandbox unchanged', async (t) => {
  const world = await createWorld(t)
  const send = senderTo(world)
  const ada = await world.user()
  const accountId = await ada.account('sandbox')
  const root = await send({ accountId, text: 'One', media: [fileOf('image/png', { content: 'sea' })] })
  const fields = { fault: 'rate_limited', faultAct: 2, other: { a_b: [1, null] } }
  const comment = { accountId, kind: 'comment', text: 'Two', fields, parent: root, root } as const
  await t.rejects(send(comment), { code: 'rate_limited' })

  const { status, body } = await ada.call('GET', '/sandbox/calls')
  t.equal(status, 200)
  const [second, first] = body.data
  t.match([first.receivedAt, second.receivedAt], Array(2).fill(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))
  t.strictSame(body, {
    data: [
      {
        id: second.id,
        accountId,
        accepted: false,
        fault: 'rate_limited',
        kind: 'comment',
        text: 'Two',
        fields,
        media: [],
        parentId: root.id,
        receivedAt: second.receivedAt,
      },
      {
        id: root.id,
        accountId,
        accepted: true,
        fault: null,
        kind: 'post',
        text: 'One',
        fields: {},
        media: [
          {
            id: '01920000-0000-7000-8000-000000000001',
            kind: 'image',
            mimeType: 'image/png',
            bytes: 3,
            sha256: first.media[0].sha256,
            altText: null,
          },
        ],
        parentId: null,
        receivedAt: first.receivedAt,
      },
    ],
    limit: 25,
    offset: 0,
    nextCursor: null,
  })
})

t.test('only calls to the user’s own accounts are listed, also after they were disconnected', async (t) => {
  const world = await createWorld(t)
  const send = senderTo(world)
  const [ada, bob] = [await world.user('ada'), await world.user('bob')]
  const organizationId = await world.organization(ada, bob)
  const own = await ada.account('sandbox')
  const disconnected = await ada.account('sandbox', { username: 'former' })
  const shared = await bob.account('sandbox', { organizationId })
  for (const accountId of [own, disconnected, shared]) await send({ accountId })
  await disconnectAccount(world.db, disconnected)

  const accountsOf = async (person: typeof ada) =>
    (await person.call('GET', '/sandbox/calls')).body.data.map((call: { accountId: string }) => call.accountId)
  t.same(await accountsOf(ada), [disconnected, own])
  t.same(await accountsOf(bob), [shared])
  t.same(await accountsOf(await world.user('eve')), [])
})

t.test('calls are listed in pages, newest first', async (t) => {
  const world = await createWorld(t)
  const send = senderTo(world)
  const ada = await world.user()
  const accounts = [await ada.account('sandbox'), await ada.account('sandbox', { username: 'other' })]
  for (let index = 0; index < 30; index++) await send({ accountId: accounts[index % 2]!, text: String(index) })

  const page = async (query: string) => {
    const { body } = await ada.call('GET', `/sandbox/calls${query}`)
    return [body.data.map(({ text }: { text: string }) => Number(text)), body.limit, body.offset]
  }
  const down = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index)
  t.same(await page(''), [down(29, 25), 25, 0])
  t.same(await page('?limit=10&offset=25'), [down(4, 5), 10, 25])
  t.same(await page('?offset=30'), [[], 25, 30])
  const { nextCursor } = (await ada.call('GET', '/sandbox/calls?limit=27')).body
  t.same(await page(`?limit=2&cursor=${nextCursor}`), [down(2, 2), 2, 0])
  t.same(await page(`?limit=4&cursor=${nextCursor}`), [down(2, 3), 4, 0])
  const { status, body } = await ada.call('GET', '/sandbox/calls?limit=0')
  t.match([status, body.details], [400, [{ code: 'too_small', path: ['limit'] }]])
})
