import type { MediaFacts } from '../../../schemas/media.ts'
import type { PostTypeRule } from '../contract/limits.ts'
import { isMissing } from './media-file.ts'
import { planRendition, type RenditionPlan } from './rendition.ts'
import { type Fit, findBroken } from './reshape.ts'

export interface PlannedFile {
  file: MediaFacts
  plan: RenditionPlan
}

/**
 * Plans the renditions of the files of a post for one network. `files` has a file as often as it is attached. If all
 * are sent in one request that is too small for them, the larger ones share what the others leave.
 */
export function planFiles(files: readonly MediaFacts[], rule: PostTypeRule, fit: Fit): PlannedFile[] {
  const share = shareOf(files, rule)
  return [...new Set(files)].flatMap((file) => {
    if (isMissing(file)) return []
    const isCapped = (file.bytes ?? 0) > share
    const plan = planRendition(file, isCapped ? withBytesMax(rule, share) : rule, fit)
    if (!plan) return []
    const isOwn = !isCapped || !('why' in plan) || findBroken(file, rule).includes('bytes')
    return [{ file, plan: isOwn ? plan : { ...plan, why: plan.why.map(toRequestRule) } }]
  })
}

const toRequestRule = (name: string) => (name === 'media_bytes' ? 'request_bytes' : name)

/** The most bytes that a file may have, so that all of them together fit into the request. */
function shareOf(files: readonly MediaFacts[], rule: PostTypeRule): number {
  const { requestBytesMax = Infinity } = rule
  const bytes = files.map((file) => Math.min(file.bytes ?? 0, bytesMaxOf(file, rule))).sort((a, b) => a - b)
  let left = requestBytesMax
  for (const [index, each] of bytes.entries()) {
    const share = Math.floor(left / (bytes.length - index))
    if (each > share) return share
    left -= each
  }
  return Infinity
}

const bytesMaxOf = ({ mimeType }: MediaFacts, { image, gif, video }: PostTypeRule) => {
  const limits = mimeType.startsWith('video/') ? video : mimeType === 'image/gif' ? (gif ?? image) : image
  return limits?.bytesMax ?? Infinity
}

function withBytesMax({ image, gif, video, ...rule }: PostTypeRule, share: number): PostTypeRule {
  const cap = <Limits extends { bytesMax?: number }>(limits: Limits): Limits => ({
    ...limits,
    bytesMax: Math.min(limits.bytesMax ?? Infinity, share),
  })
  return {
    ...rule,
    ...(image && { image: cap(image) }),
    ...(gif && { gif: cap(gif) }),
    ...(video && { video: cap(video) }),
  }
}
