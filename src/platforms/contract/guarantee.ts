import type { AccountKind, Guarantee, GuaranteeRule, Platform } from './limits.ts'

export const WEAKEST_FIRST: readonly Guarantee[] = ['at-most-once', 'reconcilable', 'exactly-once']

export type ActKind = NonNullable<GuaranteeRule['act']>

export type FileKind = NonNullable<GuaranteeRule['files']>

const ACCOUNTS: readonly AccountKind[] = ['members', 'organizations']
const FILES: readonly FileKind[] = ['images', 'videos']

/** The guarantees of an act on each kind of account, with each kind of file if it has files. */
export const findGuarantees = ({ guarantees }: Platform, act: ActKind, kinds = FILES) =>
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
export function findWeakestGuarantee(platform: Platform, acts: readonly ActKind[], files = FILES): Guarantee {
  const found = new Set(acts.flatMap((act) => findGuarantees(platform, act, files).map(({ rule }) => rule.guarantee)))
  return WEAKEST_FIRST.find((guarantee) => found.has(guarantee))!
}

/** The description where nothing tells whether an act is out. */
export const NOT_QUERIED =
  'The network cannot be queried. The delivery is `unconfirmed`: check the network, then call `resolveDelivery`.'

/** The description where one query tells whether an act is out. */
export const QUERIED =
  'The network is queried after 30 seconds. An existing act is not sent again. A missing act is sent again, which counts as one of the eight failures.'
