import {
  type ChangedPosts,
  type ChangePosts,
  InvalidRequest,
  type ListedPost,
  type Postroom,
  PostroomError,
  type UnchangedPost,
} from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { keepWarnings } from '../issues.ts'
import { say, sayElements, sentences } from '../language.ts'
import { inWords } from '../problem.ts'

/** As many requests as are under way at once. */
const AT_ONCE = 4

export interface Outcome {
  /** As the action has left it. */
  post: ListedPost
  error?: Error
}

/** Does the same with each post, a few at once, and says of each whether it worked. */
export async function forEachPost(
  posts: readonly ListedPost[],
  act: (post: ListedPost) => Promise<unknown>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const waiting = [...posts]
  const work = async () => {
    for (let post = waiting.shift(); post; post = waiting.shift()) {
      const done = post
      outcomes.push(
        await act(done).then(
          () => ({ post: done }),
          (error: Error) => ({ post: done, error }),
        ),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return outcomes
}

export type Change = Pick<ChangePosts, 'set' | 'shift'>

/** Changes posts, those with the same change together. `toChange` may refuse a post. */
export async function changePosts(
  client: Postroom,
  posts: readonly ListedPost[],
  toChange: (post: ListedPost) => Change,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const groups = new Map<string, ListedPost[]>()
  for (const post of posts) {
    try {
      const change = JSON.stringify(toChange(post))
      groups.set(change, [...(groups.get(change) ?? []), post])
    } catch (error) {
      outcomes.push({ post, error: error as Error })
    }
  }
  for (const [change, group] of groups) {
    outcomes.push(
      ...(await inBatches(group, (selection) => client.posts.updateMany({ ...selection, ...JSON.parse(change) }))),
    )
  }
  return outcomes
}

export const deletePosts = (client: Postroom, posts: readonly ListedPost[]): Promise<Outcome[]> =>
  inBatches(posts, (selection) => client.posts.deleteMany(selection))

/** The maximum of posts in one request. */
const BATCH_MAX = 500

type Selection = Required<Pick<ChangePosts, 'ids' | 'versions'>>

type Outcomes = { data: (Partial<ChangedPosts['data'][number]> & { id: string })[]; rejected: UnchangedPost[] }

/** Sends the ids and versions of posts, so that a change of another tab or program is not overwritten. */
async function inBatches(
  posts: readonly ListedPost[],
  send: (selection: Selection) => Promise<Outcomes>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const waiting = [...posts]
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH_MAX)
    const ids = batch.map(({ id }) => id)
    const versions = Object.fromEntries(batch.map(({ id, updatedAt }) => [id, updatedAt]))
    const sent: Outcomes | { error: Error } = await send({ ids, versions }).catch((error: Error) => ({ error }))
    if ('error' in sent) {
      outcomes.push(...batch.map((post) => ({ post, error: sent.error })))
      continue
    }
    const changed = new Map(sent.data.map((each) => [each.id, keepWarnings(each)]))
    const left = new Map(sent.rejected.map((each) => [each.id, each]))
    for (const post of batch) {
      const rejected = left.get(post.id)
      if (!rejected) outcomes.push({ post: { ...post, ...changed.get(post.id) } })
      else if (rejected.code === 'post_not_reached' && sent.data.length > 0) waiting.push(post)
      else outcomes.push({ post, error: toProblem(rejected) })
    }
  }
  return outcomes
}

/** The error that the request for one post alone would have had. */
function toProblem({ status, code, error, details }: UnchangedPost): Error {
  if (code === 'precondition_failed') return new Error(sentences.calendar.moves.changed)
  const response = new Response(null, { status, headers: { 'x-error-code': code } })
  return details
    ? new InvalidRequest(error, response, { error, details })
    : new PostroomError(error, response, { error })
}

const { results } = sentences.calendar

/** An action on all selected posts. */
export type Result = keyof typeof results

/** One sentence about all posts. */
export function sayOutcomes(result: Result, outcomes: Outcome[]): string {
  const count = outcomes.length
  const done = outcomes.filter(({ error }) => !error).length
  const { all, some } = results[result]
  return done === count ? say(all, { count }) : say(some, { done, count })
}

/** The posts with which it did not work, each with the reason. */
export function Failures({ outcomes }: { outcomes: Outcome[] }) {
  const failed = outcomes.filter(({ error }) => error)
  if (failed.length === 0) return null
  return html`<ul>
    ${failed.map(
      ({ post, error }) =>
        html`<li key=${post.id}>${sayElements(sentences.shared.labelled, {
          label: html`<a href="#/posts/${post.id}" dir="auto">${post.caption.slice(0, 60) || sentences.shared.post.noText}</a>`,
          text: inWords(error!),
        })}</li>`,
    )}
  </ul>`
}
