import type { FileLimits, MediaLimits } from '../../../schemas/media-limits.ts'
import type { PostTypeRule } from '../../platforms/contract/limits.ts'
import { type FileKind, fileKinds } from '../../platforms/rules/media-file.ts'

export const describeMedia = (rule: PostTypeRule): MediaLimits => ({
  min: rule.mediaMin,
  max: rule.mediaMax,
  imagesMax: rule.imagesMax,
  videosMax: rule.videosMax,
  gifsMax: rule.gifsMax,
  mixed: rule.mixed,
  gifAlone: rule.gifAlone ?? false,
  documentsMax: rule.document ? 1 : 0,
  ...(rule.requestBytesMax !== undefined && { requestBytesMax: rule.requestBytesMax }),
  files: fileKinds.flatMap((kind) => describeFile(kind, rule)),
  source: rule.source,
})

function describeFile(kind: FileKind, rule: PostTypeRule): FileLimits[] {
  const limits = rule[kind]
  // The lists of a rule are readonly, those of a response are not. Nobody changes either.
  return limits ? [{ kind, ...limits } as FileLimits] : []
}
