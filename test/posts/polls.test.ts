import t, { type Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { createWorld } from '../helpers/app.ts'

const poll = { options: ['Tea', 'Coffee'] }

async function createScene(t: Test) {
  const ada = await (await createWorld(t)).user()
  const accounts = new Map<PlatformId, string>()
  const validate = async (platform: PlatformId, body: object, fields?: object) => {
    const externalId = platform === 'linkedin' ? 'urn:li:organization:1' : '1'
    const known = accounts.get(platform)
    const accountId = known ?? (await ada.account(platform, { username: 'ada', externalId, credentials: {} }))
    accounts.set(platform, accountId)
    const { body: validation } = await ada.call('POST', '/posts/validate', {
      accountIds: [accountId],
      caption: 'What do you drink?',
      scheduledAt: '2030-01-01T00:00:00Z',
      ...body,
      ...(fields && { accountOverrides: [{ accountId, fields }] }),
    })
    return [
      ...validation.violations.map(({ rule, path }: { rule: string; path: unknown[] }) => [rule, path.join('.')]),
      ...validation.warnings.map(({ code, path }: { code: string; path: unknown[] }) => [code, path.join('.')]),
    ]
  }
  return { ada, validate }
}

t.test('a poll in one form is checked by the rules of each network that has polls', async (t) => {
  const { validate } = await createScene(t)
  for (const platform of ['x', 'linkedin', 'threads', 'mastodon', 'telegram', 'discord'] as const) {
    t.strictSame(await validate(platform, { poll }), [], platform)
  }
  const five = { options: ['1', '2', '3', '4', '5'] }
  t.strictSame(await validate('x', { poll: five }), [['field_items', 'poll.options']])
  t.strictSame(await validate('telegram', { poll: five }), [])
  t.strictSame(await validate('linkedin', { poll: { ...poll, durationMinutes: 90 } }), [
    ['field_value', 'poll.durationMinutes'],
  ])
  t.strictSame(await validate('discord', { poll, caption: 'a'.repeat(301) }), [['caption_length', 'caption']])
  t.strictSame(await validate('facebook', { poll }), [['poll_unsupported', 'poll']])
})

t.test('the catalogue says which networks have polls and comments', async (t) => {
  const { ada } = await createScene(t)
  const { body } = await ada.call('GET', '/platforms')
  const having = (name: string) =>
    body.data
      .filter((each: { bodyFields: string[] }) => each.bodyFields.includes(name))
      .map(({ id }: { id: string }) => id)
  t.strictSame(having('poll').sort(), ['discord', 'linkedin', 'mastodon', 'telegram', 'threads', 'x'])
  t.notOk(having('comments').includes('pinterest'))
  t.ok(having('comments').includes('reddit'))
})

t.test('properties of a poll that a network does not take are warnings', async (t) => {
  const { validate } = await createScene(t)
  const multiple = { ...poll, durationMinutes: 1440, multiple: true }
  t.strictSame(await validate('x', { poll: multiple }), [['unused_field', 'poll.multiple']])
  t.strictSame(await validate('threads', { poll: multiple }), [
    ['unused_field', 'poll.durationMinutes'],
    ['unused_field', 'poll.multiple'],
  ])
})

t.test('a poll in fields of an account takes the place of that of the post, which a change can remove', async (t) => {
  const { ada, validate } = await createScene(t)
  t.strictSame(
    await validate('x', { poll: { options: ['1', '2', '3', '4', '5'] } }, { poll: { ...poll, durationMinutes: 5 } }),
    [],
  )
  const accountIds = [await ada.account('x', { credentials: {} })]
  const { body } = await ada.call('POST', '/posts', { accountIds, caption: 'a', poll })
  const read = async () => (await ada.call('GET', `/posts/${body.id}`)).body.poll
  t.strictSame(await read(), poll)
  t.equal((await ada.call('PATCH', `/posts/${body.id}`, { poll: null })).status, 200)
  t.equal(await read(), undefined)
})
