import type { Io } from '../contract/io.ts'
import { either, ID, list, object, optional, TEXT } from '../wire/answer.ts'
import { Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { type Client, call } from './client.ts'
import { codeOf } from './errors.ts'

export interface Status {
  name: string
  /** The bytes of an upload; undefined if TikTok does not tell. The page does not promise that it always does. */
  bytesReceived: number | undefined
  /** Why a task has failed, in TikTok's terms. */
  failure: string
  /** Ids of the posts that everybody can see. They exceed 2^53, so they stay texts. */
  postIds: readonly string[]
}

const STATUS = object({
  status: TEXT,
  publicaly_available_post_id: optional(either(ID, list(ID))),
  uploaded_bytes: optional(ID),
})

/**
 * https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status. Returns undefined if TikTok does
 * not know the task: the page does not say how long it does.
 */
export async function readStatus(client: Client, publishId: string, io: Io): Promise<Status | undefined> {
  let data: unknown
  try {
    data = await call(client, io, '/v2/post/publish/status/fetch/', {
      body: { publish_id: publishId },
      data: STATUS,
    })
  } catch (error) {
    if (error instanceof Refused && codeOf(error.refusal.body) === 'invalid_publish_id') return undefined
    throw error
  }
  const name = textAt(data, 'status')!
  // The misspelling is TikTok's. The page describes a list; a single value was seen:
  // https://github.com/andreaolivato/TikTok-LoginKit-PHP/releases/tag/v0.6.2
  const ids = [at(data, 'publicaly_available_post_id') ?? []].flat()
  const bytes = Number(textAt(data, 'uploaded_bytes') ?? Number.NaN)
  return {
    name,
    bytesReceived: Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : undefined,
    failure: textAt(data, 'fail_reason') || 'no reason given',
    postIds: ids.map(String).filter((id) => /^[1-9]\d{0,19}$/.test(id)),
  }
}

/** Failures after which a new task may succeed. A task that has failed never publishes anything. */
const PASSING = ['internal', 'video_pull_failed', 'photo_pull_failed']

export const isPassing = ({ failure }: Status) => PASSING.includes(failure)

const MEANINGS: Readonly<Record<string, string>> = {
  file_format_check_failed: 'the format of a file is not supported',
  duration_check_failed: 'the video is too short or too long',
  frame_rate_check_failed: 'the frame rate of the video is not supported',
  picture_size_check_failed: 'the width or height of a file is not supported',
  photo_pull_failed:
    'the photos could not be fetched from this service: its operator has to make its public address reachable for TikTok',
  auth_removed: 'the account has removed its permission: connect it again',
  spam_risk: 'TikTok considers the post spam',
  spam_risk_text: 'TikTok considers the text spam',
  spam_risk_too_many_posts: 'the account has reached the number of posts that TikTok accepts in 24 hours',
  spam_risk_user_banned_from_posting: 'TikTok has banned the account from posting',
  publish_cancelled: 'the post was cancelled',
}

export function describeFailure({ failure }: Status): string {
  const meaning = Object.hasOwn(MEANINGS, failure) ? `: ${MEANINGS[failure]}` : ''
  return `TikTok could not publish the post (${failure})${meaning}`
}
