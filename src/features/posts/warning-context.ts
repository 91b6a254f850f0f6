import type { BodyPath, PostWarning } from '../../../schemas/warning.ts'
import type { CheckContext, PostMedia } from '../../platforms/rules/context.ts'
import type { TargetAccount } from '../../platforms/violations.ts'
import type { RequestedPost } from './body.ts'

export type PostToWarn = Pick<
  RequestedPost,
  | 'postType'
  | 'caption'
  | 'firstComment'
  | 'threadParts'
  | 'overrides'
  | 'mediaFit'
  | 'padColor'
  | 'scheduledAt'
  | 'accountTimes'
  | 'findAccountIndex'
> & {
  mediaIds: readonly string[]
  /** Absent for a change of a post. */
  queue?: RequestedPost['queue']
  altTexts?: Readonly<Record<string, string>> | null
  /** The path of an account's override in the body. Absent for the body of a create. */
  findOverridePath?: CheckContext['findOverridePath']
}

/** A post whose warnings are looked for. */
export interface WarningContext extends Pick<CheckContext, 'texts' | 'findOverridePath'> {
  post: PostToWarn
  accounts: readonly TargetAccount[]
  /** The files for an account. */
  findMedia: (accountId: string) => PostMedia
  /** Whether the response shows no further warning. The search ends then, and nothing more is measured. */
  isFull: () => boolean
  /** Adds a warning about an account. `problem` completes the message after the account's name. */
  warn: (account: TargetAccount, code: PostWarning['code'], path: BodyPath, problem: string) => void
}
