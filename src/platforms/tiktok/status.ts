import type { Io } from '../adapter.ts'
import { at, textAt } from '../json.ts'
import { type Client, call } from './client.ts'

export interface Status {
  name: string
  /** Of an upload; undefined where TikTok does not say. */
  bytesReceived: number | undefined
  /** Why a task has failed, in TikTok's terms. */
  failure: string
  /** The posts that everybody can see. They exceed 2^53, so they stay texts. */
  postIds: readonly string[]
}

/** https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status */
export async function readStatus(client: Client, publishId: string, io: Io): Promise<Status> {
  const data = await call(client, io, '/v2/post/publish/status/fetch/', { body: { publish_id: publishId } })
  // The page spells it like this, and has a list. A single value was seen:
  // https://github.com/andreaolivato/TikTok-LoginKit-PHP/releases/tag/v0.6.2
  const ids = [at(data, 'publicaly_available_post_id') ?? []].flat()
  const bytes = Number(textAt(data, 'uploaded_bytes') ?? Number.NaN)
  return {
    name: textAt(data, 'status') ?? '',
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
  spam_risk: 'TikTok takes the post for spam',
  spam_risk_text: 'TikTok takes the text for spam',
  spam_risk_too_many_posts: 'the account has reached the number of posts that TikTok accepts in 24 hours',
  spam_risk_user_banned_from_posting: 'TikTok has banned the account from posting',
  publish_cancelled: 'the post was cancelled',
}

export function describeFailure({ failure }: Status): string {
  const meaning = Object.hasOwn(MEANINGS, failure) ? `: ${MEANINGS[failure]}` : ''
  return `TikTok could not publish the post (${failure})${meaning}`
}
