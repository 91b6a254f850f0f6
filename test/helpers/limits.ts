import type { AccountFacts } from '../../schemas/account-facts.ts'
import type { MediaFacts } from '../../schemas/media.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { findViolations } from '../../src/platforms/violations.ts'

/** A post for one account. By default, it is a draft of type post without content. */
export interface Case {
  postType?: PostType
  caption?: string
  captionOverride?: string | null
  firstComment?: string | null
  fields?: Record<string, unknown>
  parts?: string[] | null
  media?: MediaFacts[]
  scheduled?: boolean
  textLengthMax?: number | null
  facts?: AccountFacts
  /** The id of the account on its network. */
  externalId?: string
}

/** The violations of a post for the account @ada on `platform`. */
export function check(platform: PlatformId, post: Case) {
  const media = post.media ?? []
  return findViolations(
    {
      postType: post.postType ?? 'post',
      caption: post.caption ?? '',
      firstComment: post.firstComment ?? null,
      scheduled: post.scheduled ?? false,
      mediaIds: media.map(({ id }) => id),
      overrides: new Map([['a1', { captionOverride: post.captionOverride ?? null, fields: post.fields ?? {} }]]),
      threadParts: new Map([['a1', post.parts ?? null]]),
    },
    [
      {
        id: 'a1',
        platform,
        username: 'ada',
        textLengthMax: post.textLengthMax ?? null,
        facts: post.facts ?? null,
        externalId: post.externalId ?? null,
      },
    ],
    media,
  )
}

export const rules = (platform: PlatformId, post: Case) => check(platform, post).map(({ rule }) => rule)
export const messages = (platform: PlatformId, post: Case) => check(platform, post).map(({ message }) => message)

const unknown = { bytes: null, width: null, height: null, durationSeconds: null, fps: null, frames: null, tracks: null }
export const image = (facts: Partial<MediaFacts> = {}): MediaFacts => ({
  id: 'm1',
  mimeType: 'image/jpeg',
  ...unknown,
  ...facts,
})
export const video = (facts: Partial<MediaFacts> = {}): MediaFacts => ({
  id: 'v1',
  mimeType: 'video/mp4',
  ...unknown,
  ...facts,
})
export const gif = (facts: Partial<MediaFacts> = {}): MediaFacts => ({
  id: 'g1',
  mimeType: 'image/gif',
  ...unknown,
  ...facts,
})
export const many = (count: number, file: MediaFacts) =>
  Array.from({ length: count }, (_, n) => ({ ...file, id: `${file.id}-${n}` }))
