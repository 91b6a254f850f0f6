import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { assertIssues, toRaw } from '../helpers/rejections.ts'

t.test('a post keeps its externalReference and metadata, and one without them has no such keys', async (t) => {
  const { user } = await createWorld(t)
  const ada = repeating(await user())
  const accountIds = [await ada.account()]
  const own = { externalReference: 'order-4711', metadata: { campaign: 'spring 🌱', 'a b': '', __a: '"' } }
  const { body: created } = await ada.call('POST', '/posts', { accountIds, ...own })
  const { body: plain } = await ada.call('POST', '/posts', { accountIds })
  const { data } = (await ada.call('GET', '/posts')).body
  const shown = await Promise.all([plain, created].map(async ({ id }) => (await ada.call('GET', `/posts/${id}`)).body))
  for (const [without, with_] of [data, shown]) {
    t.strictSame({ externalReference: with_.externalReference, metadata: with_.metadata }, own)
    t.notOk('externalReference' in without || 'metadata' in without)
  }
  const empty = await ada.call('POST', '/posts', { accountIds, externalReference: '', metadata: {} })
  t.hasStrict((await ada.call('GET', `/posts/${empty.body.id}`)).body, { externalReference: '', metadata: {} })
})

t.test('references and metadata have limits', async (t) => {
  const { user } = await createWorld(t)
  const ada = repeating(await user())
  const accountIds = [await ada.account()]
  const create = async (body: object) => toRaw(await ada.call('POST', '/posts', { accountIds, ...body }))
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'a']))
  const largest = { externalReference: '🌊'.repeat(127), metadata: { ...pairs(19), ['k'.repeat(40)]: 'v'.repeat(500) } }
  t.equal((await create(largest)).status, 201)
  const cases: [body: object, code: string, path: string[]][] = [
    [{ externalReference: 'a'.repeat(256) }, 'too_big', ['externalReference']],
    [{ externalReference: 5 }, 'invalid_type', ['externalReference']],
    [{ externalReference: null }, 'invalid_type', ['externalReference']],
    [{ externalReference: 'a\0' }, 'custom', ['externalReference']],
    [{ metadata: pairs(21) }, 'too_big', ['metadata']],
    [{ metadata: { a: 1 } }, 'invalid_type', ['metadata', 'a']],
    [{ metadata: { a: 'v'.repeat(501) } }, 'too_big', ['metadata', 'a']],
    [{ metadata: { ['k'.repeat(41)]: 'a' } }, 'too_big', ['metadata', 'k'.repeat(41)]],
    [{ metadata: [] }, 'invalid_type', ['metadata']],
  ]
  for (const [body, code, path] of cases) {
    assertIssues(t, await create(body), [{ code, path }], JSON.stringify(body).slice(0, 60))
  }
})
