import { findFileKind } from '../../platforms/rules/media-file.ts'
import { nameFile, nameServer } from '../../platforms/rules/wording.ts'
import type { WarningContext } from './warning-context.ts'

/** Files that the network converts, and that the account's server may refuse then: one warning for each account. */
export function addConvertedFiles({ post, isFull, warn }: WarningContext): void {
  for (const target of post.targets) {
    if (isFull()) return
    const { limits, media } = target
    const { server, postTypes } = limits
    const rule = postTypes[post.postType]
    if (!server || !(rule?.gif?.convertedBytesMax ?? rule?.video?.convertedBytesMax)) continue
    for (const file of media.files) {
      const kind = findFileKind(file, rule!)
      const max = kind === 'gif' || kind === 'video' ? rule![kind]?.convertedBytesMax : undefined
      if (max === undefined || (file.bytes ?? 0) <= max) continue
      const problem = `media ${nameFile(file)} is ${file.bytes} bytes large: after its conversion, at most ${max} are allowed`
      warn(target, 'may_be_refused', media.findPath(file.id), `${problem}${nameServer(server)}`)
      break
    }
  }
}
