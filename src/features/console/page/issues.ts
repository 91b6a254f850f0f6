import type { PostValidation, PostWarning } from '../../../clients/sdk/index.ts'
import { html } from './html.ts'
import { toWords } from './words.ts'

export type Issue = PostValidation['violations' | 'warnings'][number]

/** Warnings in words of the page, where those of the API name ids and properties. */
const WORDS: Record<PostWarning['code'], string> = {
  unused_thread_parts: 'It is no thread, so its further parts are kept and not published.',
  unknown_field: 'The network does not know an option, which has no effect.',
  unused_field: 'An option has no effect in this post.',
  unused_alt_text: 'The network does not take the description of a file, and gets the file without it.',
  altered_text: 'The network leaves out a part of the text, such as a link or some formatting.',
  text_cut: 'The network cuts off the end of a text, which is too long.',
  may_be_refused: 'The network may refuse this, although it keeps to the limits that it states.',
  past_time: 'Its time has passed. It goes out as soon as it is stored.',
  account_attention: 'Nothing can be published to the account at the moment. Its owner has to act.',
  repeated_text: 'The same text is due, or was published, within a week of this post.',
  close_posts: 'Another post is due, or was published, shortly before or after this one.',
  daily_limit: 'The account has about as many posts within a day as its network allows.',
}

/** Warnings that are about one of several options, which is named. */
const NAMED: readonly string[] = ['unknown_field', 'unused_field']

/** A message of the API without what the page shows beside it, and with names of properties as words. */
const toPlain = (message: string) =>
  message
    .replace(/^\w+ \(@[^)]*\): /, '')
    .replaceAll('`', '')
    .replace(/\b[a-z]+[A-Z]\w*/g, (name) => toWords(name).toLowerCase())
    .replace(/^./, (letter) => letter.toUpperCase())

/** An issue in words for people. */
function wordsOf(issue: Issue): string {
  if ('rule' in issue) return toPlain(issue.message)
  const words = WORDS[issue.code] ?? toPlain(issue.message)
  const name = NAMED.includes(issue.code) && issue.path.findLast((key) => typeof key === 'string')
  return name ? `${toWords(String(name))}: ${words.replace(/^./, (letter) => letter.toLowerCase())}` : words
}

export interface IssuesProps {
  issues: Issue[]
  /** Names an account, where the issues of several stand together. */
  nameOf?: (accountId: string) => string | undefined
}

export const Issues = ({ issues, nameOf }: IssuesProps) =>
  html`${issues.map((issue) => {
    const name = issue.accountId && nameOf?.(issue.accountId)
    return html`<p class=${'rule' in issue ? 'warning' : 'small'} dir="auto" title=${issue.message}>
      <span aria-hidden="true">${'rule' in issue ? '✕' : '⚠'}</span> ${name && `${name}: `}${wordsOf(issue)}
      ${'postId' in issue && issue.postId && html` <a href="#/posts/${issue.postId}">Open that post</a>`}
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
