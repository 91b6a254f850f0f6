import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'

const SIGNATURE = '\n\nLighthouse Coffee'
const TIME = '2030-01-01T00:00:00Z'

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const accountId = await ada.account('x', { username: 'ada', credentials: {} })
  const sign = async (captionSuffix: object | null, id = accountId) => {
    const { status } = await ada.call('PATCH', `/accounts/${id}`, { captionSuffix })
    t.equal(status, 200)
  }
  const post = (body: object = {}) => ({ accountIds: [accountId], scheduledAt: TIME, ...body })
  const create = (body?: object) => ada.call('POST', '/posts', post(body))
  const validate = async (body?: object) => (await ada.call('POST', '/posts/validate?include=parts', post(body))).body
  const textsOf = async (body?: object): Promise<string[]> =>
    (await validate(body)).targets[0].parts.map(({ text }: { text: string }) => text)
  const override = (own: object) => ({ accountOverrides: [{ accountId, ...own }] })
  return { ...world, ada, accountId, sign, create, validate, textsOf, override }
}

t.test('the suffix of an account follows its captions and the last part of a thread', async (t) => {
  const { accountId, sign, textsOf, override } = await createScene(t)
  t.strictSame(await textsOf({ caption: 'Hi' }), ['Hi'])
  await sign({ text: SIGNATURE })
  t.strictSame(await textsOf({ caption: 'Hi', ...override({ captionOverride: 'Ho' }) }), [`Ho${SIGNATURE}`])
  const thread = { postType: 'thread', threadParts: { [accountId]: ['A', 'B'] } }
  t.strictSame(await textsOf(thread), ['A', `B${SIGNATURE}`])
  t.strictSame(await textsOf({ caption: 'Hi', ...override({ captionSuffix: ' – Bob' }) }), ['Hi – Bob'])
  t.strictSame(await textsOf({ caption: 'Hi', ...override({ captionSuffix: '' }) }), ['Hi'])
  t.strictSame(await textsOf({ caption: ' ' }), [' '], 'a blank caption gets none')
})

t.test('a post keeps the suffix that it was created with, and a change can replace or remove it', async (t) => {
  const { ada, accountId, sign, create } = await createScene(t)
  await sign({ text: SIGNATURE })
  const { body: post } = await create({ caption: 'Hi' })
  await sign(null)
  const suffixAfter = async (body: object) => {
    t.equal((await ada.call('PATCH', `/posts/${post.id}`, body)).status, 200)
    return (await ada.call('GET', `/posts/${post.id}`)).body.targets[0].captionSuffix
  }
  t.equal(await suffixAfter({ caption: 'Ho' }), SIGNATURE)
  t.equal(await suffixAfter({ accountOverrides: [] }), SIGNATURE)
  t.equal(await suffixAfter({ overrides: { [accountId]: null } }), SIGNATURE)
  t.equal(await suffixAfter({ overrides: { [accountId]: { captionSuffix: '!' } } }), '!')
  t.equal(await suffixAfter({ overrides: { [accountId]: { captionSuffix: '' } } }), undefined)
  t.equal(await suffixAfter({ caption: 'Hey' }), undefined)
})

t.test('a suffix that does not fit rejects the post, or is left out if the account says so', async (t) => {
  const { sign, create, validate, textsOf } = await createScene(t)
  const caption = 'a'.repeat(279)
  await sign({ text: SIGNATURE })
  const { status, body } = await create({ caption })
  t.strictSame(
    [status, body.error],
    [400, 'x (@ada): caption with its suffix is 298 characters long, at most 280 are allowed'],
  )
  await sign({ text: SIGNATURE, whenTooLong: 'omit' })
  const { publishable, warnings } = await validate({ caption })
  t.strictSame(
    [publishable, warnings.map(({ code, path }: { code: string; path: unknown }) => [code, path])],
    [true, [['omitted_suffix', ['caption']]]],
  )
  t.strictSame(await textsOf({ caption }), [caption])
  t.strictSame(await textsOf({ caption: 'Hi' }), [`Hi${SIGNATURE}`])
  const tooLong = await create({ caption: 'a'.repeat(281) })
  t.equal(tooLong.body.error, 'x (@ada): caption with its suffix is 300 characters long, at most 280 are allowed')
})

t.test('no create stores a suffix that was replaced, whatever the process knows of the account', async (t) => {
  const { ada, db, create } = await createScene(t)
  for (const text of [null, 'A', 'B', null]) {
    await db
      .updateTable('accounts')
      .set({ captionSuffix: text && JSON.stringify({ text }) })
      .execute()
    const { body } = await create({ caption: 'Hi' })
    t.equal((await ada.call('GET', `/posts/${body.id}`)).body.targets[0].captionSuffix, text ?? undefined)
  }
})

t.test('the texts with different suffixes have at most 1 MiB in one request', async (t) => {
  const { ada, db } = await createScene(t)
  const accountIds: string[] = []
  for (let index = 0; index < 12; index++) accountIds.push(await ada.account('sandbox'))
  await db.updateTable('accounts').set({ captionSuffix: sql`jsonb_build_object('text', id)` }).execute()
  const { status, body } = await ada.call('POST', '/posts', { accountIds, caption: 'a'.repeat(100_000) })
  t.strictSame(
    [status, body.error],
    [413, 'The texts with the suffixes of the accounts would have more than 1 MiB: send fewer accounts in one request'],
  )
})
