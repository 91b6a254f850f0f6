import type { PostValidation, PostWarning } from '../../../clients/sdk/index.ts'
import { html } from './html.ts'
import { label, say, sentences } from './language.ts'
import { toWords } from './words.ts'

export type Issue = PostValidation['violations' | 'warnings'][number]

const words = sentences.problems

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
  const named: string | undefined = words.named[issue.code as keyof typeof words.named]
  const name = named && issue.path.findLast((key) => typeof key === 'string')
  if (name) return say(named as typeof words.named.unused_field, { name: toWords(String(name)) })
  return words.warnings[issue.code] ?? toPlain(issue.message)
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
      <span aria-hidden="true">${'rule' in issue ? '✕' : '⚠'}</span> ${name ? label(name, wordsOf(issue)) : wordsOf(issue)}
      ${'postId' in issue && issue.postId && html` <a href="#/posts/${issue.postId}">${words.openPost}</a>`}
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
