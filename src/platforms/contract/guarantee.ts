import type { Source } from './source.ts'

export type AccountKind = 'members' | 'organizations'

/**
 * The guarantee of a network for a call whose response was lost. exactly-once: repeating the call changes nothing, or
 * the network is queried for the upload, which makes at most one post. reconcilable: the network can be queried for the
 * act. at-most-once: none of these, so the call is never repeated.
 */
export type Guarantee = 'exactly-once' | 'reconcilable' | 'at-most-once'

/** The guarantee for an act whose response was lost. It promises no more than the source says. */
export type GuaranteeRule = {
  /** `text` and `files`: posts and parts of threads without files, and with them. Absent: every act. */
  act?: 'text' | 'files' | 'comment'
  /** Absent: with any files, or without. */
  files?: 'images' | 'videos'
  /** Absent: every account. */
  accounts?: AccountKind
  /** The course after a lost response, for the documentation. */
  description: string
  source: Source
} & (
  | { guarantee: 'at-most-once' }
  /** `byUpload`: the network is queried for the upload. Absent: the call is repeated. */
  | { guarantee: 'exactly-once'; byUpload?: true }
  /** `ifAbsent`: the outcome of an act that the network does not show. */
  | { guarantee: 'reconcilable'; ifAbsent: 'sent again' | 'unconfirmed' }
)

export const WEAKEST_FIRST: readonly Guarantee[] = ['at-most-once', 'reconcilable', 'exactly-once']

export type ActKind = NonNullable<GuaranteeRule['act']>

export type FileKind = NonNullable<GuaranteeRule['files']>

const ACCOUNTS: readonly AccountKind[] = ['members', 'organizations']
const FILES: readonly FileKind[] = ['images', 'videos']

interface Guarantees {
  guarantees: readonly GuaranteeRule[]
}

/** The guarantees of an act on each kind of account, with each kind of file if it has files. */
export const findGuarantees = ({ guarantees }: Guarantees, act: ActKind, kinds = FILES) =>
  ACCOUNTS.flatMap((accounts) =>
    (act === 'files' ? kinds : [undefined]).flatMap((files) => {
      const rule = guarantees.find(
        (rule) =>
          (rule.act ?? act) === act && (rule.accounts ?? accounts) === accounts && (rule.files ?? files) === files,
      )
      return rule ? [{ accounts, files, rule }] : []
    }),
  )

/**
 * The weakest guarantee of a network for these acts and kinds of files, on accounts of any kind: the kind may change
 * with the next connection. There is at least one act.
 */
export function findWeakestGuarantee(platform: Guarantees, acts: readonly ActKind[], files = FILES): Guarantee {
  const found = new Set(acts.flatMap((act) => findGuarantees(platform, act, files).map(({ rule }) => rule.guarantee)))
  return WEAKEST_FIRST.find((guarantee) => found.has(guarantee))!
}

/** The description where nothing tells whether an act is out. */
export const NOT_QUERIED =
  'The network cannot be queried. The delivery is `unconfirmed`: check the network, then call `resolveDelivery`.'

/** The description where one query tells whether an act is out. */
export const QUERIED =
  'The network is queried after 30 seconds. An existing act is not sent again. A missing act is sent again, which counts as one of the eight failures.'
