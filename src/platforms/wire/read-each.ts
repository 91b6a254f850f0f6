import type { MeasuredPost, PostReading } from '../contract/metrics.ts'
import type { PublishError } from '../contract/publish-error.ts'
import { Refused } from './call-network.ts'

/** Reads posts in turn, where a call reads one. A refusal in the network's words belongs to its post alone. */
export async function readEach(
  posts: readonly MeasuredPost[],
  read: (post: MeasuredPost) => Promise<PostReading>,
): Promise<PostReading[]> {
  const readings: PostReading[] = []
  for (const post of posts) readings.push(await read(post).catch(refusalOfPost))
  return readings
}

function refusalOfPost(error: unknown): PostReading {
  if (error instanceof Refused && error.hasWords) return failureOf(error)
  throw error
}

/** The reading of a post that alone could not be read. */
export const failureOf = ({ code, message, retryable }: PublishError): PostReading => ({
  error: { code, message, retryable },
})
