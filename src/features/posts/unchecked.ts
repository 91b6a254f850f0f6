import type { MediaFacts } from '../../../schemas/media.ts'
import type { UncheckedFact } from '../../../schemas/validate-post.ts'
import type { DocumentRule, GifRule, ImageRule, PostTypeRule, VideoRule } from '../../platforms/contract/limits.ts'
import type { PostMedia } from '../../platforms/rules/files.ts'
import { findFileKind, tellsAnimations } from '../../platforms/rules/media-file.ts'
import type { LoadedPost } from './load.ts'

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
export function findUnchecked({ postType, targets, media: files }: LoadedPost): UncheckedFact[] {
  // Targets share a list of files as it is, before it is made to fit each of them.
  const rulesByMedia = new Map<PostMedia, Set<PostTypeRule>>()
  for (const { attached, limits } of targets) {
    const rule = limits.postTypes[postType]
    if (rule) rulesByMedia.set(attached, (rulesByMedia.get(attached) ?? new Set()).add(rule))
  }
  const rulesOf = new Map<string, Set<PostTypeRule>>()
  for (const [media, rules] of rulesByMedia) {
    for (const { id } of new Set(media.files)) rulesOf.set(id, new Set([...rules, ...(rulesOf.get(id) ?? [])]))
  }
  return files.flatMap((file) => {
    const rules = [...(rulesOf.get(file.id) ?? [])]
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
