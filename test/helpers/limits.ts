import type { AccountFacts } from '../../schemas/account-facts.ts'
import type { MediaFacts } from '../../schemas/media.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { EMPTY_DRAFT, EMPTY_TARGET, type Post, type Target } from '../../src/platforms/contract/post.ts'
import { loadTarget } from '../../src/platforms/load-target.ts'
import type { LoadedTarget, TargetAccount } from '../../src/platforms/rules/context.ts'
import { createFileReader } from '../../src/platforms/rules/files.ts'
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

/** A post for these accounts. Each follows it, except for its own content among `own`. */
export function postFor(
  accounts: readonly TargetAccount[],
  content: Partial<Post>,
  own: readonly Partial<Target>[] = [],
  media: readonly MediaFacts[] = [],
): Post<LoadedTarget> {
  const post = { ...EMPTY_DRAFT, postType: 'post' as const, ...content }
  const readFiles = createFileReader(post, media)
  const targets = accounts.map((account, index) => {
    const target = { ...EMPTY_TARGET, accountId: account.id, path: ['accountOverrides', index], index, ...own[index] }
    return loadTarget(post, target, account, readFiles(target))
  })
  return { ...post, targets }
}

/** The violations of a post for the account @ada on `platform`. */
export function check(platform: PlatformId, { media = [], scheduled = false, ...post }: Case) {
  const { textLengthMax = null, facts = null, externalId = null, captionOverride = null, ...content } = post
  const account = { id: 'a1', platform, username: 'ada', textLengthMax, facts, externalId }
  const { fields = {}, parts = null, postType = 'post', caption = '', firstComment = null } = content
  const shared = { postType, caption, firstComment, isScheduled: scheduled, mediaIds: media.map(({ id }) => id) }
  return findViolations(postFor([account], shared, [{ captionOverride, fields, threadParts: parts }], media))
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
