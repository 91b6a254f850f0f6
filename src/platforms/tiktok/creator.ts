import type { Act, FieldOptions } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible } from '../contract/publish-error.ts'
import { list, object, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { type Client, call, clientFor } from './client.ts'

/** The options that TikTok currently offers the creator. */
interface Creator {
  /** The name has no leading @; undefined if it could not be part of an address. */
  username: string | undefined
  nickname: string
  privacyLevels: readonly string[]
  commentDisabled: boolean
  duetDisabled: boolean
  stitchDisabled: boolean
  maxVideoDurationSeconds: number | undefined
}

const CREATOR = object({ privacy_level_options: list(TEXT) })

/**
 * https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info: to be called before each post.
 */
export async function readCreator(client: Client, io: Pick<Io, 'fetch' | 'signal'>): Promise<Creator> {
  const data = await call(client, io, '/v2/post/publish/creator_info/query/', { body: {}, data: CREATOR })
  const username = textAt(data, 'creator_username') ?? ''
  const seconds = Number(textAt(data, 'max_video_post_duration_sec'))
  return {
    username: /^[\w.]{1,64}$/.test(username) ? username : undefined,
    nickname: textAt(data, 'creator_nickname') ?? username,
    privacyLevels: at(data, 'privacy_level_options') as string[],
    commentDisabled: at(data, 'comment_disabled') === true,
    duetDisabled: at(data, 'duet_disabled') === true,
    stitchDisabled: at(data, 'stitch_disabled') === true,
    maxVideoDurationSeconds: seconds > 0 ? seconds : undefined,
  }
}

/** Files store durations less precisely than TikTok gives its maximum. */
const DURATION_TOLERANCE_SECONDS = 0.05

/**
 * Throws if TikTok does not offer the creator what the act needs. It needs no check of comments, duets and stitches:
 * those that the creator has turned off stay off.
 */
export function checkOffered({ privacyLevels, maxVideoDurationSeconds = Infinity }: Creator, act: Act): void {
  const { privacyLevel } = act.fields
  if (!privacyLevels.some((level) => level === privacyLevel)) {
    const offered = privacyLevels.join(', ') || 'none'
    throw impossible(
      `privacyLevel is ${privacyLevel ?? 'missing'}. The levels that TikTok currently offers the account: ${offered}`,
    )
  }
  const seconds = act.media.find(({ kind }) => kind === 'video')?.durationSeconds ?? 0
  if (seconds > maxVideoDurationSeconds + DURATION_TOLERANCE_SECONDS) {
    throw impossible(
      `The video lasts ${seconds} seconds: TikTok lets the account post at most ${maxVideoDurationSeconds} seconds`,
    )
  }
}

const LABELS: Readonly<Record<string, string>> = {
  PUBLIC_TO_EVERYONE: 'Everyone',
  MUTUAL_FOLLOW_FRIENDS: 'Friends',
  FOLLOWER_OF_CREATOR: 'Followers',
  SELF_ONLY: 'Only you',
}

/**
 * TikTok's guidelines require a program to show all of it: https://developers.tiktok.com/doc/content-sharing-guidelines
 */
export const privacyLevelOptions: FieldOptions = {
  async read(io) {
    const { privacyLevels, nickname, maxVideoDurationSeconds = null, ...creator } = await readCreator(clientFor(io), io)
    const { commentDisabled, duetDisabled, stitchDisabled } = creator
    return {
      options: privacyLevels.map((value) => ({ value, label: LABELS[value] ?? value })),
      facts: { nickname, commentDisabled, duetDisabled, stitchDisabled, maxVideoDurationSeconds },
    }
  },
}
