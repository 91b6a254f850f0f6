import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { SANDBOX_FAULTS } from '../../../../schemas/sandbox.ts'
import { UNKNOWN_ID } from '../ids.ts'
import { command, index, often, pick, requireError, requireReply, user, userFor, usually } from './command.ts'
import {
  comparableCreated,
  comparableDetail,
  comparablePost,
  expectedCreated,
  expectedDetail,
  expectedPost,
} from './expected.ts'
import { sendCreate, sendMode } from './key-commands.ts'
import type { Model } from './model.ts'
import { type Reply, type Service, send } from './service.ts'
import { FUTURE, type NewPost, type Post } from './state.ts'

const postChoices = {
  user,
  accounts: fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 3 }),
  hasAccess: usually,
  sendMode,
  when: fc.constantFrom('draft', 'past', 'past', 'past', 'future'),
  postType: fc.constantFrom('post', 'post', 'thread'),
  caption: fc.constantFrom(...often(6, 'a caption'), 'Ünï💫', ''),
  firstComment: fc.constantFrom(null, null, 'a comment'),
  media: fc.constantFrom(...often(6, 'none'), 'own', 'own', 'own', 'foreign'),
  overrides: fc.array(
    fc.record(
      {
        captionOverride: fc.constantFrom(null, 'another caption', ''),
        fault: fc.constantFrom(...SANDBOX_FAULTS),
        faultTimes: fc.constantFrom(1, 2, 9),
        faultAct: fc.constantFrom(1, 1, 2, 3),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
  parts: fc.array(fc.constantFrom('one', 'two', 'three', 'four', 'five', ''), { maxLength: 3 }),
}
export const postArbitrary = fc.record(postChoices)
type PostChoices = typeof postArbitrary extends fc.Arbitrary<infer Choices> ? Choices : never

/** The post that the choices describe, and the accounts as they are sent: they may repeat. */
export function planPost(
  choices: PostChoices,
  model: Model,
  service: Service,
): { post: NewPost; sent: NewPost['accounts'] } {
  const { user, caption, firstComment, parts, when } = choices
  const usable = model.accountsOf(user)
  const candidates = choices.hasAccess && usable.length > 0 ? usable : model.accounts
  const sent = choices.accounts.map((index) => pick(candidates, index)!)
  const accounts = [...new Set(sent)]
  const isOwn = choices.media === 'own'
  const overrides = choices.overrides.slice(0, accounts.length).map(({ captionOverride, ...fields }, index) => ({
    account: accounts[index]!,
    captionOverride: captionOverride ?? null,
    fields: Object.keys(fields).length > 0 ? fields : null,
  }))
  const post: NewPost = {
    accounts,
    caption,
    firstComment,
    overrides,
    scheduledAt: when === 'draft' ? null : when === 'past' ? '2026-01-01T00:00:00.000Z' : FUTURE,
    postType: choices.postType as Post['postType'],
    media: choices.media === 'none' ? [] : [{ id: pick(service.media, user + (isOwn ? 0 : 1))!, isOwn }],
    threadParts: new Map(choices.postType === 'thread' ? [[accounts[0]!, parts]] : []),
  }
  return { post, sent }
}

export const bodyOf = (post: NewPost, sent: NewPost['accounts']) => ({
  accountIds: sent.map(({ id }) => id),
  caption: post.caption,
  postType: post.postType,
  mediaIds: post.media.map(({ id }) => id),
  ...(post.firstComment !== null && { firstComment: post.firstComment }),
  ...(post.scheduledAt !== null && { scheduledAt: post.scheduledAt }),
  accountOverrides: post.overrides.map(({ account, captionOverride, fields }) => ({
    accountId: account.id,
    captionOverride,
    ...(fields && { fields }),
  })),
  threadParts: Object.fromEntries([...post.threadParts].map(([account, texts]) => [account.id, texts])),
})

export const create = postArbitrary.map((choices) =>
  command(
    'create',
    choices,
    async (model, service) => {
      const { user } = choices
      const { post, sent } = planPost(choices, model, service)
      const request = { user, operationId: 'createPost', path: '/posts', body: bodyOf(post, sent) }
      const reply = await sendCreate(choices.sendMode, model, service, request)
      const expected = model.check(user, post)
      if (expected.status === 400) requireError(400, reply)
      else if (expected.status === 403) requireReply(reply, 403, { error: expected.error })
      else {
        const { id } = reply.body
        deepStrictEqual([reply.status, comparableCreated(reply.body)], [201, expectedCreated(id, post)])
        model.create(user, id, post)
      }
    },
    ({ accounts }) => accounts.length > 0,
  ),
)

/** A command on a post by its id. Users other than its owner get 404. */
const onPost = (
  name: string,
  operationId: string,
  pathOf: (id: string) => string,
  compare: (model: Model, service: Service, post: Post, reply: Reply) => void,
) =>
  fc.record({ isOwner: usually, post: index }).map((values) =>
    command(name, values, async (model, service) => {
      const post = pick(model.posts, values.post)
      const path = pathOf(post?.id ?? UNKNOWN_ID)
      const reply = await send(service, userFor(post, values.isOwner), operationId, path)
      if (!post || !values.isOwner) requireReply(reply, 404, { error: 'Post not found' })
      else compare(model, service, post, reply)
    }),
  )

/** Requires a status and the post as the model has it. */
export const requireDetail = (reply: Reply, status: number, post: Post, service: Service) =>
  deepStrictEqual([reply.status, comparableDetail(reply.body, post)], [status, expectedDetail(post, service)])

export const get = onPost(
  'get',
  'getPost',
  (id) => `/posts/${id}`,
  (_model, service, post, reply) => requireDetail(reply, 200, post, service),
)

export const remove = onPost(
  'delete',
  'deletePost',
  (id) => `/posts/${id}`,
  (model, _service, post, reply) => {
    const status = model.delete(post)
    requireReply(reply, status, status === 200 ? { success: true } : { error: 'Cannot delete published post' })
  },
)

export const publish = onPost(
  'publish',
  'publishPost',
  (id) => `/posts/${id}/publish`,
  (model, service, post, reply) => {
    const status = model.publish(post)
    if (status !== 202) requireError(status, reply)
    else requireDetail(reply, 202, post, service)
  },
)

export const list = fc
  .record({ user, limit: fc.constantFrom(1, 2, 5, 100), offset: fc.nat({ max: 5 }) })
  .map((values) =>
    command('list', values, async (model, service) => {
      const { user, limit, offset } = values
      const { status, body } = await send(service, user, 'listPosts', `/posts?limit=${limit}&offset=${offset}`)
      const page = model.postsOf(user).slice(offset, offset + limit)
      const data = body.data.map((post: Record<string, unknown>, index: number) => comparablePost(post, page[index]))
      const nextCursor = page.length < limit ? null : page.at(-1)!.id
      const expected = { data: page.map((post) => expectedPost(post, service)), limit, offset, nextCursor }
      deepStrictEqual([status, { ...body, data }], [200, expected])
    }),
  )

/** Follows the cursor to the last page: every post appears once. */
export const walkPages = fc.record({ user, limit: fc.constantFrom(2, 5) }).map(({ user, limit }) =>
  command('walkPages', { user, limit }, async (model, service) => {
    const ids: string[] = []
    let path = `/posts?limit=${limit}`
    for (let isLast = false; !isLast; ) {
      const { body } = await send(service, user, 'listPosts', path)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      isLast = body.nextCursor === null
      path = `/posts?limit=${limit}&cursor=${body.nextCursor}`
    }
    deepStrictEqual(
      ids,
      model.postsOf(user).map(({ id }) => id),
    )
  }),
)
