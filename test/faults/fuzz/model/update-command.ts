import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { SANDBOX_FAULTS } from '../../../../schemas/sandbox.ts'
import { UNKNOWN_ID } from '../ids.ts'
import { command, index, pick, requireError, requireReply, userFor, usually } from './command.ts'
import { comparableUpdated, expectedUpdated } from './expected.ts'
import type { Model } from './model.ts'
import { send } from './service.ts'
import { FUTURE, type Post, statusOf } from './state.ts'
import type { Change } from './update.ts'

const fault = fc.constantFrom(null, ...SANDBOX_FAULTS)

const choices = fc.record(
  {
    isOwner: usually,
    post: index,
    hasAccess: usually,
    caption: fc.constantFrom('a caption', 'another', ''),
    firstComment: fc.constantFrom(null, 'a comment'),
    scheduledAt: fc.constantFrom(null, '2026-01-01T00:00:00.000Z', FUTURE),
    externalReference: fc.constantFrom(null, 'order-1', ''),
    metadata: fc.constantFrom(null, {}, { a: '1' }, { a: null, b: '2' }, { a: '3', b: null }),
    accounts: fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 3 }),
    override: fc.option(
      fc.record(
        {
          captionOverride: fc.constantFrom(null, 'another caption'),
          fields: fc.record({ fault, faultTimes: fc.constantFrom(null, 1, 9) }, { requiredKeys: [] }),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
      { freq: 5 },
    ),
  },
  { requiredKeys: ['isOwner', 'post', 'hasAccess'], noNullPrototype: true },
)
type Choices = typeof choices extends fc.Arbitrary<infer Value> ? Value : never

/** Prefers posts that can be changed. */
function choose({ posts }: Model, index: number): Post | undefined {
  const open = posts.filter((post) => statusOf(post) !== 'published')
  return pick([...open, ...open, ...posts], index)
}

function changeOf({ isOwner: _, post: __, hasAccess, accounts, ...change }: Choices, model: Model, post: Post): Change {
  if (!accounts) return change as Change
  const usable = model.accountsOf(post.owner)
  const candidates = hasAccess && usable.length > 0 ? usable : model.accounts
  return { ...(change as Change), accounts: [...new Set(accounts.map((index) => pick(candidates, index)!))] }
}

function bodyOf({ accounts, override, ...change }: Change, post: Post) {
  const [first] = accounts ?? post.deliveries.map(({ account }) => account)
  return {
    ...change,
    ...(accounts && { accountIds: accounts.map(({ id }) => id) }),
    ...(override !== undefined && { overrides: { [first!.id]: override } }),
  }
}

export const update = choices.map((choices) =>
  command('update', choices, async (model, service) => {
    const post = choose(model, choices.post)
    const change = post ? changeOf(choices, model, post) : {}
    const body = post ? bodyOf(change, post) : {}
    const user = userFor(post, choices.isOwner)
    const reply = await send(service, user, 'updatePost', `/posts/${post?.id ?? UNKNOWN_ID}`, body)
    if (!post || !choices.isOwner) requireReply(reply, 404, { error: 'Post not found' })
    else {
      const status = model.update(post, change)
      if (status === 200) {
        deepStrictEqual([reply.status, comparableUpdated(reply.body, post)], [200, expectedUpdated(post, service)])
      } else requireError(status, reply)
    }
  }),
)
