import type { MediaFacts } from '../../schemas/media.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { findViolations } from '../../src/platforms/rules/check-post.ts'

/** A post for one account, as far as a test cares. */
export interface Case {
  postType?: PostType
  caption?: string
  captionOverride?: string | null
  firstComment?: string | null
  fields?: Record<string, unknown>
  parts?: string[] | null
  media?: MediaFacts[]
  scheduled?: boolean
  /** What the account's own server takes. */
  textLengthMax?: number | null
}

/** The violations of a draft (unless scheduled) for the account @ada of `platform`. */
export function judge(platform: PlatformId, given: Case) {
  const media = given.media ?? []
  return findViolations(
    {
      postType: given.postType ?? 'post',
      caption: given.caption ?? '',
      firstComment: given.firstComment ?? null,
      scheduled: given.scheduled ?? false,
      mediaIds: media.map(({ id }) => id),
      overrides: new Map([['a1', { captionOverride: given.captionOverride ?? null, fields: given.fields ?? {} }]]),
      threadParts: new Map([['a1', given.parts ?? null]]),
    },
    [{ id: 'a1', platform, username: 'ada', textLengthMax: given.textLengthMax ?? null }],
    media,
  )
}

export const rules = (platform: PlatformId, given: Case) => judge(platform, given).map(({ rule }) => rule)
export const messages = (platform: PlatformId, given: Case) => judge(platform, given).map(({ message }) => message)

const unknown = { bytes: null, width: null, height: null, durationSeconds: null, fps: null, frames: null }
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
