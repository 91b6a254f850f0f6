import type { ListedPost } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { say, sayElements, sentences } from '../language.ts'
import { inWords } from '../problem.ts'

/** As many requests as are under way at once. */
const AT_ONCE = 4

export interface Outcome {
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
