import type { ListedPost } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
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

const countPosts = (count: number) => `${count} ${count === 1 ? 'post' : 'posts'}`

/** One sentence about all posts. */
export function sayOutcomes(done: string, outcomes: Outcome[]): string {
  const count = outcomes.filter(({ error }) => !error).length
  return count === outcomes.length
    ? `${done} ${countPosts(count)}.`
    : `${done} ${count} of ${countPosts(outcomes.length)}. The others are as they were:`
}

/** The posts with which it did not work, each with the reason. */
export function Failures({ outcomes }: { outcomes: Outcome[] }) {
  const failed = outcomes.filter(({ error }) => error)
  if (failed.length === 0) return null
  return html`<ul>
    ${failed.map(({ post, error }) => html`<li key=${post.id}><a href="#/posts/${post.id}" dir="auto">${post.caption.slice(0, 60) || 'Without text'}</a>: ${inWords(error!)}</li>`)}
  </ul>`
}
