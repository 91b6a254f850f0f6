import type { PlatformId } from '../../../../schemas/platform.ts'
import { METADATA } from '../../../../schemas/references.ts'
import { parseTime } from '../../../../schemas/time.ts'
import { OperatorError } from '../../../base/errors.ts'
import { shorten } from '../../../base/line.ts'
import { platforms } from '../../../platforms/limits.ts'
import type { MovedBody, SourceFile, SourcePost } from './source-post.ts'

/**
 * The post in the form of `createPost`, for one account, and the files of each text of a thread. `warnings` say what it
 * lacks.
 */
export function toBody(post: SourcePost, accountId: string, platform: PlatformId) {
  const { caption, time, fields, firstComment } = post
  const parsed = time === undefined ? {} : parseTime(time)
  if ('problem' in parsed) throw new OperatorError(`${parsed.problem}: ${time}`)
  const { content, threadFiles, missing } = arrangeParts(post, accountId, platform)
  const gaps = [...post.missing, ...missing]
  const isDraft = post.isDraft || gaps.length > 0
  const tags = post.tags.join(', ')
  const isLong = tags.length > METADATA.valueMax
  const metadata = {
    ...(tags && !isLong && { tags }),
    ...(isDraft && time !== undefined && { plannedAt: time }),
  }
  const body: MovedBody = {
    caption,
    ...(post.postType && { postType: post.postType }),
    ...(firstComment && { firstComment }),
    ...content,
    ...(Object.keys(fields).length > 0 && { accountOverrides: [{ accountId, fields }] }),
    ...(!isDraft && time !== undefined && { scheduledAt: time }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
  const lost = [...post.lost, ...(isLong ? ['the tags, which are too long together'] : [])]
  return {
    body,
    threadFiles,
    warnings: [
      ...lost.map((what) => `not moved: ${what}`),
      ...gaps.map((what) => `not moved: ${what}; the post is ${post.isDraft ? '' : 'now '}a draft`),
    ],
  }
}

/** Characters of a comment in a warning. */
const EXCERPT_MAX = 60

/** A thread where the network has threads of separate posts, otherwise a first comment, which has no files. */
function arrangeParts(
  { caption, files, parts, firstComment }: SourcePost,
  accountId: string,
  platform: PlatformId,
): { content: Partial<MovedBody>; missing: string[]; threadFiles?: SourceFile[][] | undefined } {
  const { thread, firstComment: comments } = platforms[platform]
  if (parts.length === 0) return { content: {}, missing: [] }
  if (thread?.mode === 'chained') {
    const threadParts = { [accountId]: [caption, ...parts.map(({ text }) => text)] }
    const content: Partial<MovedBody> = { postType: 'thread', threadParts }
    const hasFiles = parts.some((part) => part.files.length > 0)
    return { content, missing: [], threadFiles: hasFiles ? [files, ...parts.map(({ files }) => files)] : undefined }
  }
  const first = comments && !firstComment ? parts[0] : undefined
  const missing = [
    ...(first && first.files.length > 0 ? ['the files of the comment'] : []),
    ...parts.slice(first ? 1 : 0).map(({ text }) => `the comment "${shorten(text, EXCERPT_MAX)}"`),
  ]
  return { content: first ? { firstComment: first.text } : {}, missing }
}
