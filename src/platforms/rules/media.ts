import type { MediaFacts } from '../../../schemas/media.ts'
import type { ImageRule, PostTypeRule } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { findAltText, findAltTextRule } from './alt-text.ts'
import type { CheckContext } from './context.ts'
import type { AddFileViolation } from './file-checks.ts'
import type { PartMedia } from './files.ts'
import { checkFile, type FileKind, fileKinds, findFileKind, isMissing } from './media-file.ts'
import { atLeast, atMost, formatCount, nameFile } from './wording.ts'

/** The files of a post or of one part of a thread, which is a post of its own. */
interface FilesContext extends Omit<CheckContext, 'media'> {
  media: PartMedia
  /** In messages, such as "thread part 2". */
  name: string
}

/** Checks the number and combination of the files of each part, and each file by the rule for its kind. */
export function checkMedia(context: CheckContext): void {
  const { post, platform, postTypeRule, media } = context
  if (!postTypeRule) return
  const { parts } = media
  const rule = withDurationMax(postTypeRule, context)
  // Parts beyond the maximum have to be removed anyway.
  for (const [index, media] of parts.slice(0, platform.thread?.partsMax).entries()) {
    const { mediaMin, repliesMediaMin = mediaMin } = rule
    const name = parts.length > 1 ? `thread part ${index + 1}` : post.postType
    checkFiles(index === 0 ? rule : { ...rule, mediaMin: repliesMediaMin }, { ...context, media, name })
  }
}

function withDurationMax(rule: PostTypeRule, { fields, media, target }: CheckContext): PostTypeRule {
  const { video } = rule
  const otherwise = video?.durationMaxOtherwise
  const isOther = otherwise?.test(fields, media, target)
  return isOther ? { ...rule, video: { ...video!, durationMaxSeconds: otherwise!.seconds } } : rule
}

function checkFiles(rule: PostTypeRule, context: FilesContext): void {
  const { media } = context
  const counts = countKinds(media.files, rule)
  checkCounts(counts, rule, context)
  checkCombination(counts, rule, context)
  checkRequestSize(rule, context)
  // Files beyond the maximum have to be removed anyway.
  const files = [...new Set(media.files)].slice(0, rule.mediaMax)
  for (const file of files) {
    const add = nameViolations(file, context)
    if (isMissing(file)) {
      addMissing(file, context, add)
      continue
    }
    checkFile(file, rule, add)
    checkAltText(file, context, add)
  }
  if (rule.image?.sameSize) checkSameSize(files, rule.image, context)
}

/** A draft may have a file that is not there yet. Its limits are checked once it is. */
function addMissing({ missing }: MediaFacts, { post }: FilesContext, add: AddFileViolation): void {
  if (!post.isScheduled) return
  if (missing === 'pending') add('pending', 'is not uploaded yet', {})
  else add('failed', `could not be uploaded: ${missing}`, {})
}

/** Adds violations of a file, each with its name, its path, and why it was not made to fit. */
function nameViolations(file: MediaFacts, { media, addViolation }: FilesContext): AddFileViolation {
  const { id, fileName } = file
  const unfit = media.unfit?.get(id)
  return (name, problem, facts) => {
    const path = media.findPath(id)
    const named = { mediaId: id, ...(fileName && { fileName }) }
    const message = `media ${nameFile(file)} ${problem}${unfit === undefined ? '' : `. mediaFit changes nothing: ${unfit}`}`
    addViolation(`media_${name}`, { path, ...named, ...facts }, message)
  }
}

type Counts = Record<FileKind, number>

function countKinds(files: readonly MediaFacts[], rule: PostTypeRule): Counts {
  const counts: Counts = { image: 0, video: 0, gif: 0, document: 0 }
  for (const file of files) {
    const kind = findFileKind(file, rule)
    if (kind) counts[kind]++
  }
  return counts
}

const nouns: Record<FileKind, string> = { image: 'image', video: 'video', gif: 'GIF', document: 'document' }

/** The facts that all rules on the number of files share. */
const factsOf = ({ path }: PartMedia, { source }: { source: Source }) => ({ path, unit: 'files' as const, source })

function checkCounts(
  counts: Counts,
  rule: PostTypeRule,
  { post, media, name, addViolation, addCount }: FilesContext,
): void {
  const { mediaMin, mediaMax } = rule
  addCount?.({ path: media.path, actual: media.requestedCount, limit: mediaMax, unit: 'files' })
  if (media.count > mediaMax) {
    const facts = { ...factsOf(media, rule), limit: { max: mediaMax }, actual: media.count }
    addViolation('media_count', facts, `${name} has ${formatCount(media.count, 'media file')}, ${atMost(mediaMax)}`)
  }
  if (media.requestedCount < mediaMin && post.isScheduled) {
    const files = formatCount(media.requestedCount, 'media file')
    const facts = { ...factsOf(media, rule), limit: { min: mediaMin }, actual: media.requestedCount }
    addViolation('media_required', facts, `${name} has ${files}, ${atLeast(mediaMin)}`)
  }
  const maxima: Counts = { image: rule.imagesMax, video: rule.videosMax, gif: rule.gifsMax, document: mediaMax }
  for (const kind of fileKinds) {
    // If mediaMax is no greater, media_count covers this. A kind without a rule is rejected file by file.
    if (!rule[kind] || maxima[kind] >= mediaMax || counts[kind] <= maxima[kind]) continue
    const facts = { ...factsOf(media, rule), limit: { max: maxima[kind] }, actual: counts[kind] }
    const files = formatCount(counts[kind], nouns[kind])
    addViolation(`${kind}_count`, facts, `${name} has ${files}, ${atMost(maxima[kind])}`)
  }
}

function checkCombination(counts: Counts, rule: PostTypeRule, { media, name, addViolation }: FilesContext): void {
  const images = rule.gifAlone ? counts.image : counts.image + counts.gif
  const canHaveBoth = rule.mediaMax > 1 && rule.video && rule.image
  if (!rule.mixed && canHaveBoth && images > 0 && counts.video > 0) {
    const combination = `${formatCount(images, 'image')} and ${formatCount(counts.video, 'video')}`
    const facts = { path: media.path, source: rule.source }
    addViolation('media_mixed', facts, `${name} has ${combination}, which cannot be combined`)
  }
  if (rule.document && counts.document > 0 && media.count > 1) {
    const facts = { path: media.path, source: rule.document.source }
    addViolation(
      'document_alone',
      facts,
      `${name} has a document and other media files, a document must be the only file`,
    )
  }
  if (rule.gifAlone && counts.gif > 0 && media.count > counts.gif) {
    const facts = { path: media.path, source: rule.source }
    addViolation('gif_alone', facts, `${name} has a GIF and other media files, a GIF must be the only file`)
  }
}

/** A file that is attached twice is sent twice. */
function checkRequestSize(
  { requestBytesMax: max, source }: PostTypeRule,
  { media, name, addViolation }: FilesContext,
): void {
  if (max === undefined) return
  const bytes = media.files.reduce((sum, file) => sum + (file.bytes ?? 0), 0)
  if (bytes <= max) return
  const facts = { path: media.path, limit: { max }, actual: bytes, unit: 'bytes' as const, source }
  addViolation('request_bytes', facts, `${name} has files of ${bytes} bytes in total, ${atMost(max)}`)
}

/** The texts of networks that demand one. A text that is too long is cut. */
function checkAltText(file: MediaFacts, { post, platform, fields, texts }: FilesContext, add: AddFileViolation): void {
  const { lengthMin: min, unit, source } = findAltTextRule(platform, file) ?? {}
  if (!post.isScheduled || min === undefined || !unit || !source) return
  const actual = texts.countLength(findAltText(file, fields) ?? '', unit)
  if (actual >= min) return
  const problem = `has an alternative text of ${formatCount(actual, 'character')}, ${atLeast(min)}`
  add('alt_text', problem, { limit: { min }, actual, unit, source })
}

function checkSameSize(
  files: readonly MediaFacts[],
  { source }: ImageRule,
  { media, addViolation }: FilesContext,
): void {
  const images = files.filter(({ mimeType, width, height }) => mimeType.startsWith('image/') && width && height)
  const [first, other] = new Set(images.map(({ width, height }) => `${width}x${height}`))
  if (!other) return
  const problem = `images have ${first} and ${other} pixels, all must have the same width and height`
  addViolation('media_same_size', { path: media.path, source }, problem)
}
