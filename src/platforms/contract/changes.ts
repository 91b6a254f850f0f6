import type { PostType } from '../../../schemas/platform.ts'
import type { OnNetwork, Sent } from './adapter.ts'
import type { AccountKind } from './guarantee.ts'
import type { Price } from './limits.ts'
import type { Source } from './source.ts'

/** The address of an act that keeps it when it is edited. */
export const addressOf = ({ id, ref, url }: OnNetwork): Sent => ({ id, ...(ref !== undefined && { ref }), url })

/** The network offers no way. `reason` is a sentence for the owner of the post. */
interface Impossible {
  possible: false
  reason: string
  source: Source
}

/** Acts that the network leaves as they are. What is absent fits every act. */
export interface ChangeException {
  /** A sentence for the owner of the post. */
  reason: string
  accounts?: AccountKind
  kind?: 'post' | 'comment'
  postTypes?: readonly PostType[]
  /** A further condition on the act. */
  test?: (act: OnNetwork) => boolean
  source: Source
}

interface Possible {
  possible: true
  /** The scope that the account needs beside those for publishing. Users are asked for it if their app names it. */
  scope?: string
  /** For how long after it became visible. Absent: for ever. */
  minutesMax?: number
  /** The first one that fits an act gives the reason why it cannot be changed. */
  exceptions?: readonly ChangeException[]
  /** The price of one call. Absent: it costs nothing. */
  price?: Price
  /** A sentence that the owner of the post may not expect: a warning in the response to the request. */
  warning?: string
  /** Absent for the sandbox. */
  source?: Source
}

/** Whether and how the network removes what it has published. */
export type RemovalRule =
  | Impossible
  | (Possible & {
      /** The evidence that it is gone: the response to the call, or a read after it. */
      confirmedBy: 'response' | 'reading'
    })

/** Whether and how the network changes what it has published. */
export type EditRule =
  | Impossible
  | (Possible & {
      /** Whether the text can be changed, and which keys of `fields`. Files stay as they are. */
      what: readonly ('text' | (string & {}))[]
      /** False: the network publishes a new post in place of the earlier one. */
      keepsId: boolean
      /** How often. Absent: any number of times. */
      timesMax?: number
    })

/** The changes that a network makes to a published post. */
export interface ChangeRules {
  remove: RemovalRule
  edit: EditRule
}
