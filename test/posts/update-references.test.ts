import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { assertIssues, toRaw } from '../helpers/rejections.ts'

const FUTURE = '2030-01-01T00:00:00.000Z'

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'a']))

const world = await createWorld(t)

async function write(body: object = {}) {
  const ada = await world.user()
  const account = await ada.account('sandbox', { credentials: { username: 'ada' } })
  const { body: created } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a', ...body })
  const path = `/posts/${created.id}`
  const patch = (body: object, headers?: Record<string, string>) => ada.call('PATCH', path, body, headers)
  const read = () => ada.call('GET', path)
  return { ada, account, path, patch, read }
}

t.test('a patch sets and removes the reference, and merges the metadata', async (t) => {
  const { patch, read } = await write()
  for (const [change, reference, metadata] of [
    [{ externalReference: 'order-1' }, 'order-1', undefined],
    [{ metadata: { a: '1', b: '2' } }, 'order-1', { a: '1', b: '2' }],
    [{ metadata: { b: null, c: '🌱' } }, 'order-1', { a: '1', c: '🌱' }],
    [{ caption: 'b' }, 'order-1', { a: '1', c: '🌱' }],
    [{ metadata: { a: null, c: null, d: null } }, 'order-1', {}],
    [{ externalReference: '', metadata: null }, '', undefined],
    [{ externalReference: null, metadata: { a: '' } }, undefined, { a: '' }],
  ] as [object, string | undefined, object | undefined][]) {
    const { status, body, headers } = await patch(change)
    t.equal(status, 200, JSON.stringify(change))
    const reread = await read()
    t.strictSame([reread.body, reread.headers.etag], [body, headers.etag])
    t.strictSame([body.externalReference, body.metadata], [reference, metadata], JSON.stringify(change))
  }
})

t.test('references and metadata are content: they change the ETag and updatedAt, and no delivery', async (t) => {
  const { patch, read } = await write({ scheduledAt: FUTURE, metadata: { a: '1' } })
  await world.db.updateTable('postTargets').set({ state: 'failed', attempts: 3, failures: 3 }).execute()
  const before = await read()
  const { body, headers } = await patch({ metadata: { a: '2' } }, { 'if-match': String(before.headers.etag) })
  t.not(headers.etag, before.headers.etag)
  t.ok(body.updatedAt > before.body.updatedAt)
  t.strictSame(body.targets, before.body.targets)
  t.equal((await patch({ metadata: { a: '3' } }, { 'if-match': String(before.headers.etag) })).status, 412)
  const { updatedAt } = (await read()).body
  t.equal((await patch({ metadata: { a: '2', b: null }, externalReference: null })).body.updatedAt, updatedAt)
})

t.test('they can be changed exactly as long as the post can be deleted', async (t) => {
  const { patch, ada, path } = await write({ scheduledAt: FUTURE })
  await world.db.updateTable('postTargets').set({ state: 'publishing' }).execute()
  t.equal((await patch({ metadata: { a: '1' } })).status, 409)
  await world.db.updateTable('posts').set({ status: 'published' }).execute()
  t.strictSame([(await patch({ externalReference: 'a' })).status, (await ada.call('DELETE', path)).status], [400, 400])
})

t.test('the changed metadata has the limits of a create', async (t) => {
  const { patch, read } = await write({ metadata: pairs(20) })
  const before = (await read()).body
  const cases: [body: object, code: string, path: string[]][] = [
    [{ externalReference: 'a'.repeat(256) }, 'too_big', ['externalReference']],
    [{ externalReference: 5 }, 'invalid_type', ['externalReference']],
    [{ externalReference: 'a\0' }, 'custom', ['externalReference']],
    [{ metadata: { more: 'a' } }, 'too_big', ['metadata']],
    [{ metadata: { key0: null, a: 'a', b: 'b' } }, 'too_big', ['metadata']],
    [{ metadata: { key0: 1 } }, 'invalid_type', ['metadata', 'key0']],
    [{ metadata: { key0: 'v'.repeat(501) } }, 'too_big', ['metadata', 'key0']],
    [{ metadata: { key0: null, ['k'.repeat(41)]: 'a' } }, 'too_big', ['metadata', 'k'.repeat(41)]],
    [{ metadata: [] }, 'invalid_type', ['metadata']],
  ]
  for (const [body, code, path] of cases) {
    assertIssues(t, toRaw(await patch(body)), [{ code, path }], JSON.stringify(body).slice(0, 60))
  }
  t.strictSame((await read()).body, before)
  const replaced = { ...Object.fromEntries(Object.keys(pairs(20)).map((name) => [name, null])), a: 'a' }
  t.strictSame((await patch({ metadata: replaced })).body.metadata, { a: 'a' })
})
