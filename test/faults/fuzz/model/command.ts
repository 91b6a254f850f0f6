import { deepStrictEqual } from 'node:assert'
import fc, { type AsyncCommand } from 'fast-check'
import type { Model } from './model.ts'
import type { Reply, Service } from './service.ts'
import type { Post } from './state.ts'

type Command = AsyncCommand<Model, Service>

/**
 * A command of fast-check: sends something to the service and compares the result with the model's. A failure prints
 * its name and values.
 */
export const command = (
  name: string,
  values: object,
  run: (model: Model, service: Service) => Promise<void>,
  check = (_: Model) => true,
): Command => ({
  check: (model) => check(model as Model),
  run,
  toString: () => `${name}${JSON.stringify(values)}`,
})

/** Index of one of the two users. */
export const user = fc.nat({ max: 1 })

/** Index of an item in a list of any length: see `pick`. */
export const index = fc.nat({ max: 30 })

/** Mostly true. False leads to requests that the service has to reject. */
export const usually = fc.nat({ max: 9 }).map((number) => number > 0)

/** Repeats an arbitrary, to choose it more often. */
export const often = <T>(times: number, arbitrary: T): T[] => Array(times).fill(arbitrary)

export const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length]

/** The post's owner, or the other user. */
export const userFor = (post: Post | undefined, isOwner: boolean) =>
  isOwner ? (post?.owner ?? 0) : 1 - (post?.owner ?? 0)

/** Requires an error with this status, whose text the model does not predict. */
export const requireError = (status: number, { status: actual, body }: Reply) =>
  deepStrictEqual([actual, Object.keys(body), typeof body.error], [status, ['error'], 'string'])

export const requireReply = ({ status, body }: Reply, expectedStatus: number, expectedBody: object) =>
  deepStrictEqual([status, body], [expectedStatus, expectedBody])
