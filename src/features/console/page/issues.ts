import type { PostValidation, PostWarning } from '../../../clients/sdk/index.ts'
import { html } from './html.ts'

export type Issue = PostValidation['violations' | 'warnings'][number]

/** Warnings in words of the page, where those of the API name ids and properties. */
const WORDS: Partial<Record<PostWarning['code'], string>> = {
  past_time: 'Its time has passed. It goes out as soon as it is stored.',
  repeated_text: 'The same text is due, or was published, within a week of this post.',
  close_posts: 'Another post is due, or was published, shortly before or after this one.',
}

export interface IssuesProps {
  issues: Issue[]
  /** Names an account, where the issues of several stand together. */
  nameOf?: (accountId: string) => string | undefined
}

export const Issues = ({ issues, nameOf }: IssuesProps) =>
  html`${issues.map((issue) => {
    const words = 'code' in issue ? WORDS[issue.code] : undefined
    const name = words && issue.accountId && nameOf?.(issue.accountId)
    return html`<p class=${'rule' in issue ? 'warning' : 'small'} dir="auto">
      <span aria-hidden="true">${'rule' in issue ? '✕' : '⚠'}</span> ${name && `${name}: `}${words ?? issue.message}
      ${words && 'postId' in issue && issue.postId && html` <a href="#/posts/${issue.postId}">Open that post</a>`}
    </p>`
  })}`

const kept = new Map<string, PostWarning[]>()

/** Keeps the warnings of a change for the page of its post. */
export function keepWarnings<P extends { id: string; warnings?: PostWarning[] }>(post: P): P {
  kept.set(post.id, post.warnings ?? [])
  return post
}

/** The warnings of the last change of a post in this tab. */
export const keptWarnings = (postId: string): PostWarning[] => kept.get(postId) ?? []
