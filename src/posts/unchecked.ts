import type { MediaFacts } from '../../schemas/media.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { UncheckedFact } from '../../schemas/validate-post.ts'
import type { DocumentRule, GifRule, ImageRule, PostTypeRule, VideoRule } from '../platforms/contract/limits.ts'
import { platforms } from '../platforms/limits.ts'
import { createMediaFinder, createOverridePaths, type PostMedia, type PostToCheck } from '../platforms/rules/context.ts'
import { findFileKind, tellsAnimations } from '../platforms/rules/media-file.ts'
import type { TargetAccount } from '../platforms/violations.ts'

type Property = UncheckedFact['property']
type Limits = ImageRule & GifRule & VideoRule & DocumentRule

/** The limits that cannot be checked while a property is not known. */
const LIMITS: Record<Property, (keyof Limits)[]> = {
  width: [
    'widthMin',
    'widthMax',
    'shortSideMax',
    'widthPlusHeightMax',
    'pixelsMax',
    'aspectRatioMin',
    'aspectRatioMax',
    'sameSize',
  ],
  height: [
    'heightMin',
    'heightMax',
    'shortSideMax',
    'widthPlusHeightMax',
    'pixelsMax',
    'aspectRatioMin',
    'aspectRatioMax',
    'sameSize',
  ],
  durationSeconds: ['durationMinSeconds', 'durationMaxSeconds'],
  fps: ['fpsMin', 'fpsMax'],
  frames: ['framesMax'],
  tracks: [
    'videoCodecs',
    'chromaSubsamplings',
    'scans',
    'pixelAspectRatios',
    'closedGop',
    'audioCodecs',
    'audioCodecStrings',
    'audioChannelsMax',
    'audioSampleRateMax',
  ],
}
const PROPERTIES = Object.keys(LIMITS) as Property[]

/** Types of images that may have several frames. */
const ANIMATED = /^image\/(?:gif|webp|png|avif)$/

/** Properties of the files that an account's network limits, but that are not known. Each is listed once. */
export function findUnchecked(
  post: PostToCheck,
  accounts: readonly TargetAccount[],
  files: readonly MediaFacts[],
): UncheckedFact[] {
  // Accounts share a list of files as it is, before it is made to fit each of them.
  const { mediaIds, overrides } = post
  const findMedia = createMediaFinder({ mediaIds, overrides }, files, createOverridePaths(post))
  const networks = new Map<PostMedia, Set<PlatformId>>()
  for (const { id, platform } of accounts) {
    const media = findMedia(id)
    networks.set(media, (networks.get(media) ?? new Set()).add(platform))
  }
  const platformsOf = new Map<string, Set<PlatformId>>()
  for (const [media, platformIds] of networks) {
    for (const { id } of new Set(media.files)) {
      const known = platformsOf.get(id) ?? new Set()
      platformsOf.set(id, known)
      for (const platform of platformIds) known.add(platform)
    }
  }
  return files.flatMap((file) => {
    const rules = [...(platformsOf.get(file.id) ?? [])].flatMap(
      (platform) => platforms[platform].postTypes[post.postType] ?? [],
    )
    return PROPERTIES.filter(
      (property) => file[property] === null && rules.some((rule) => limits(rule, property, file)),
    ).map((property) => ({ mediaId: file.id, property }))
  })
}

function limits(rule: PostTypeRule, property: Property, file: MediaFacts): boolean {
  const kind = findFileKind(file, rule)
  const rules: Partial<Limits> | undefined = kind && rule[kind]
  if (!rules) return false
  // The number of frames decides by which rule an image is checked.
  if (property === 'frames' && tellsAnimations(rule) && ANIMATED.test(file.mimeType)) return true
  return LIMITS[property].some((limit) => rules[limit] !== undefined)
}
