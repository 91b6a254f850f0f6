import type { PlatformId } from '../../../../schemas/platform.ts'
import { METADATA } from '../../../../schemas/references.ts'
import { OperatorError } from '../../../errors.ts'
import { platforms } from '../../../platforms/limits.ts'
import { isPast, PAST_TIME } from '../../../posts/schedule.ts'
import type { MovedBody, SourcePost } from './source-post.ts'

/** The post in the form of `createPost`, for one account. `warnings` say what it lacks. */
export function toBody(post: SourcePost, accountId: string, platform: PlatformId) {
  const { caption, time, fields, firstComment } = post
  const { content, missing } = arrangeParts(post, accountId, platform)
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
  if (isPast({ scheduledAt: body.scheduledAt, accountOverrides: [] })) throw new OperatorError(`${PAST_TIME}: ${time}`)
  const lost = [...post.lost, ...(isLong ? ['the tags, which are too long together'] : [])]
  return {
    body,
    warnings: [
      ...lost.map((what) => `not moved: ${what}`),
      ...gaps.map((what) => `not moved: ${what}; the post is ${post.isDraft ? '' : 'now '}a draft`),
    ],
  }
}

/** A thread where the network has threads of separate posts, otherwise a first comment. */
function arrangeParts({ caption, parts, firstComment }: SourcePost, accountId: string, platform: PlatformId) {
  const { thread, firstComment: comments } = platforms[platform]
  const [first, ...others] = parts
  const missing = parts.flatMap(({ files }, index) =>
    files.length > 0 ? [`files of text ${index + 2}, because only the first text can have files`] : [],
  )
  if (!first) return { content: {}, missing }
  if (thread?.mode === 'chained') {
    const threadParts = { [accountId]: [caption, ...parts.map(({ text }) => text)] }
    return { content: { postType: 'thread' as const, threadParts }, missing }
  }
  if (comments && !firstComment) {
    const rest = others.map(({ text }) => `the comment "${excerpt(text)}"`)
    return { content: { firstComment: first.text }, missing: [...missing, ...rest] }
  }
  return { content: {}, missing: [...missing, ...parts.map(({ text }) => `the comment "${excerpt(text)}"`)] }
}

const EXCERPT_LENGTH = 60

const excerpt = (text: string) => {
  const characters = [...text.replaceAll(/\s+/g, ' ')]
  return characters.length > EXCERPT_LENGTH ? `${characters.slice(0, EXCERPT_LENGTH).join('')}…` : characters.join('')
}
