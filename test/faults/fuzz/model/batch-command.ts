import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { command, user } from './command.ts'
import { comparableCreated, expectedCreated } from './expected.ts'
import { sendCreate, sendMode } from './key-commands.ts'
import { bodyOf, planPost, postArbitrary } from './post-commands.ts'

/** Creates several posts in one request, which is like creating each of them unless one is rejected. */
export const createMany = fc
  .record({
    user,
    mode: fc.constantFrom('all', 'each'),
    sendMode,
    posts: fc.array(postArbitrary, { minLength: 1, maxLength: 3 }),
  })
  .map((values) =>
    command(
      'createMany',
      values,
      async (model, service) => {
        const { user, mode } = values
        const planned = values.posts.map((choices) => planPost({ ...choices, user }, model, service))
        const body = { mode, posts: planned.map(({ post, sent }) => bodyOf(post, sent)) }
        const request = { user, operationId: 'createPosts', path: '/posts/batch', body }
        const reply = await sendCreate(values.sendMode, model, service, request)

        const checked = planned.map(({ post }, index) => ({ index, post, ...model.check(user, post) }))
        const rejected = checked.filter(({ status }) => status !== 201)
        const accepted = mode === 'all' && rejected.length > 0 ? [] : checked.filter(({ status }) => status === 201)
        const success = mode === 'each' ? 200 : 201
        const status = mode === 'all' ? (rejected[0]?.status ?? success) : success
        const { data = [] } = reply.body
        deepStrictEqual(
          [reply.status, reply.body.rejected.map(({ index, status }: Record<string, number>) => [index, status])],
          [status, rejected.map(({ index, status }) => [index, status])],
        )
        deepStrictEqual(
          data.map(comparableCreated),
          accepted.map(({ index, post }, at) => ({ index, ...expectedCreated(data[at]?.id, post) })),
        )
        for (const [at, { post }] of accepted.entries()) model.create(user, data[at].id, post)
      },
      ({ accounts }) => accounts.length > 0,
    ),
  )
