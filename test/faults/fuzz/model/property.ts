import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { changeMembership, compareAccounts, connect, disconnect, listAccounts } from './account-commands.ts'
import { createMany } from './batch-command.ts'
import { often } from './command.ts'
import { cancel, mark, resolve, retry, retryMany, tick } from './delivery-commands.ts'
import { comparablePost, expectedPost } from './expected.ts'
import { replay } from './key-commands.ts'
import type { Model } from './model.ts'
import { create, get, list, publish, remove, requireDetail, walkPages } from './post-commands.ts'
import { coverage, increment, type Run, type Service, send } from './service.ts'
import { update } from './update-command.ts'

const { STEPS } = process.env

/** Any commands in any order, connecting and creating more often than others. */
const commands = fc.commands<Model, Service, false>(
  [
    ...often(3, connect),
    ...often(6, create),
    ...often(2, createMany),
    ...often(5, tick),
    ...often(2, retry),
    retryMany,
    ...often(2, resolve),
    ...often(2, cancel),
    mark,
    ...often(2, publish),
    ...often(4, update),
    ...often(2, get),
    ...often(2, replay),
    list,
    walkPages,
    listAccounts,
    remove,
    disconnect,
    changeMembership,
  ],
  // A failure prints a `replayPath`, which repeats its commands together with SEED and AT.
  { maxCommands: 50, size: 'max', ...(STEPS !== undefined && { replayPath: STEPS }) },
)

/** After every sequence of commands, the service is in the state that the model predicts; so is every response. */
export const serviceFollowsModel = (beginRun: () => Promise<Run>) =>
  fc.asyncProperty(commands, async (commands) => {
    const { model, service } = await beginRun()
    await fc.asyncModelRun(() => ({ model, real: service }), commands)
    for (const user of service.users.keys()) {
      await compareAccounts(model, service, user)
      await comparePosts(model, service, user)
      await compareCalls(model, service, user)
    }
  })

async function comparePosts(model: Model, service: Service, user: number): Promise<void> {
  const posts = model.postsOf(user)
  const { body } = await send(service, user, 'listPosts', '/posts?limit=100')
  const data = body.data.map((post: Record<string, unknown>, index: number) => comparablePost(post, posts[index]))
  deepStrictEqual(
    data,
    posts.map((post) => expectedPost(post, service)),
  )
  for (const post of posts) {
    requireDetail(await send(service, user, 'getPost', `/posts/${post.id}`), 200, post, service)
    for (const { state, history } of post.deliveries) {
      increment(coverage.outcomes, `delivery ${state}`)
      for (const { outcome, error } of history) increment(coverage.outcomes, `attempt ${outcome} ${error ?? ''}`)
    }
  }
}

const CALLS_PER_PAGE = 100

/** Compares the calls that the sandbox received, regardless of order: accounts are published to concurrently. */
async function compareCalls(model: Model, service: Service, user: number): Promise<void> {
  const { body } = await send(service, user, 'listSandboxCalls', `/sandbox/calls?limit=${CALLS_PER_PAGE}`)
  const expected = model.callsOf(user)
  if (expected.length > CALLS_PER_PAGE) return
  const received = body.data.map(({ accountId, accepted, fault, kind, text }: Record<string, unknown>) =>
    JSON.stringify({ accountId, accepted, fault, kind, text }),
  )
  const predicted = expected.map(({ account, ...call }) => JSON.stringify({ accountId: account.id, ...call }))
  deepStrictEqual(received.sort(), predicted.sort())
}
