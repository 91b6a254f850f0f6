import type { BodyPath, PostWarning } from '../../../schemas/warning.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import type { AccountTarget, LoadedPost } from './load.ts'

/** A post whose warnings are looked for. */
export interface WarningContext {
  post: LoadedPost
  texts: TextCache
  /** Whether the response shows no further warning. The search ends then, and nothing more is measured. */
  isFull: () => boolean
  /** Adds a warning about the whole post. */
  add: (code: PostWarning['code'], path: BodyPath, message: string) => void
  /** Adds a warning about an account. `problem` completes the message after the account's name. */
  warn: (target: AccountTarget, code: PostWarning['code'], path: BodyPath, problem: string) => void
}
