import { NotSettled } from './errors.ts'
import { type Http, responseOf, sleep } from './http.ts'
import type { Options } from './options.ts'
import type { Path } from './path.ts'
import type { PostDetail } from './types.ts'

const POLL_MIN_MS = 500
const POLL_MAX_MS = 5_000

export async function waitUntilSettled(http: Http, path: Path, options: Options = {}): Promise<PostDetail> {
  const { timeoutMs = 60_000, signal } = options
  const deadline = Date.now() + timeoutMs
  let post = await http.get<PostDetail>(path, {}, { signal })
  for (let pauseMs = POLL_MIN_MS; ; pauseMs = Math.min(pauseMs * 1.5, POLL_MAX_MS)) {
    const states = post.targets.map(({ delivery }) => delivery.state)
    if (states.includes('waiting')) throw new NotSettled(`Post ${post.id} is a draft: nothing is sent`, post)
    if (!states.includes('queued') && !states.includes('publishing')) return post
    const leftMs = deadline - Date.now()
    if (leftMs <= 0) throw new NotSettled(`Post ${post.id} still has deliveries to send after ${timeoutMs} ms`, post)
    await sleep(Math.min(pauseMs, leftMs), signal)
    const headers = { 'if-none-match': responseOf(post)?.headers.get('etag') ?? undefined }
    // Undefined for 304.
    post =
      (await http.json<PostDetail>({ method: 'GET', path, headers, isRepeatable: true, options: { signal } })) ?? post
  }
}
