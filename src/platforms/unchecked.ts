import type { MediaFacts } from '../../schemas/media.ts'
import type { UncheckedFact } from '../../schemas/validate-post.ts'
import type { TargetAccount } from './check-post.ts'
import type { GifRule, ImageRule, PostTypeRule, VideoRule } from './contract/limits.ts'
import { platforms } from './limits.ts'
import type { PostToCheck } from './rules/context.ts'
import { findFileKind, tellsAnimations } from './rules/media-file.ts'

type Property = UncheckedFact['property']
type Limits = ImageRule & GifRule & VideoRule

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
  { postType }: PostToCheck,
  accounts: readonly TargetAccount[],
  files: readonly MediaFacts[],
): UncheckedFact[] {
  const networks = new Set(accounts.map(({ platform }) => platform))
  const rules = [...networks].flatMap((platform) => platforms[platform].postTypes[postType] ?? [])
  return [...new Set(files)].flatMap((file) =>
    PROPERTIES.filter((property) => file[property] === null && rules.some((rule) => limits(rule, property, file))).map(
      (property) => ({ mediaId: file.id, property }),
    ),
  )
}

function limits(rule: PostTypeRule, property: Property, file: MediaFacts): boolean {
  const kind = findFileKind(file, rule)
  const rules: Partial<Limits> | undefined = kind && rule[kind]
  if (!rules) return false
  // The number of frames decides by which rule an image is checked.
  if (property === 'frames' && tellsAnimations(rule) && ANIMATED.test(file.mimeType)) return true
  return LIMITS[property].some((limit) => rules[limit] !== undefined)
}
