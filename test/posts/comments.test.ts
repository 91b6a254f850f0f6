import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'

async function createScene(t: Test) {
  const ada = await (await createWorld(t)).user()
  const accountId = await ada.account('linkedin', {
    username: 'ada',
    externalId: 'urn:li:organization:1',
    credentials: {},
  })
  const post = { accountIds: [accountId], caption: 'Hi', scheduledAt: '2030-01-01T00:00:00Z' }
  const create = (body: object) => ada.call('POST', '/posts', { ...post, ...body })
  return { ada, post, create }
}

t.test('each comment has the limits of a first comment, and validation shows all of them', async (t) => {
  const { ada, post } = await createScene(t)
  const validate = async (comments: object[]) =>
    (await ada.call('POST', '/posts/validate?include=parts', { ...post, comments })).body
  const { targets, publishable } = await validate([{ text: 'a' }, { text: 'b', after: 'PT5M' }])
  t.strictSame(
    [publishable, targets[0].parts.map(({ kind, text }: { kind: string; text: string }) => `${kind} ${text}`)],
    [true, ['post Hi', 'comment a', 'comment b']],
  )
  const { violations } = await validate([{ text: 'a' }, { text: 'b'.repeat(1251) }])
  t.match(violations, [
    {
      path: ['comments', 1, 'text'],
      rule: 'first_comment_length',
      message: 'linkedin (@ada): comment 2 is 1251 characters long, at most 1250 are allowed',
    },
  ])
})

t.test('comments and a first comment take the place of each other in a change', async (t) => {
  const { ada, create } = await createScene(t)
  const comments = [{ text: 'a', after: 'PT5M' }]
  const { body } = await create({ comments })
  const after = async (patch: object) => {
    t.equal((await ada.call('PATCH', `/posts/${body.id}`, patch)).status, 200)
    const { comments, firstComment } = (await ada.call('GET', `/posts/${body.id}`)).body
    return [comments, firstComment]
  }
  t.strictSame(await after({}), [comments, null])
  t.strictSame(await after({ firstComment: null }), [comments, null])
  t.strictSame(await after({ firstComment: 'b' }), [undefined, 'b'])
  t.strictSame(await after({ comments }), [comments, null])
  t.strictSame(await after({ comments: null }), [undefined, null])
})

t.test('comments that repeat each other, long pauses and a first comment beside them are rejected', async (t) => {
  const { create } = await createScene(t)
  const problemOf = async (body: object) => {
    const { status, body: answer } = await create(body)
    return [status, answer.details?.[0].path.join('.'), answer.details?.[0].message]
  }
  t.strictSame(await problemOf({ comments: [{ text: 'a' }, { text: ' a' }] }), [
    400,
    'comments.1.text',
    'Repeats an earlier comment: use other words',
  ])
  t.strictSame(await problemOf({ comments: [{ text: 'a', after: 'P7DT1S' }] }), [
    400,
    'comments.0.after',
    'Must be at most 7 days',
  ])
  for (const after of ['P8D', 'PT', '5M', 'PT5', 'P1W']) {
    t.match(await problemOf({ comments: [{ text: 'a', after }] }), [400, 'comments.0.after', /^Must be a duration/])
  }
  t.match(await problemOf({ firstComment: 'a', comments: [{ text: 'b' }] }), [400, 'firstComment', /absent together/])
  t.match(await problemOf({ comments: [{ text: ' ' }] }), [400, 'comments.0.text', /white space/])
})
