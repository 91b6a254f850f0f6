import type { PlatformId } from '../../../schemas/platform.ts'
import type { PlatformChanges } from '../../../schemas/platform-changes.ts'
import type { ChangeException, EditRule, RemovalRule } from '../../platforms/contract/changes.ts'
import { NETWORKS } from '../../platforms/networks.ts'

/** How a network removes and edits what it has published. */
export function describeChanges(id: PlatformId): PlatformChanges {
  const { remove, edit } = NETWORKS[id].changes
  return {
    remove: { ...describeChange(remove), ...(remove.possible && { confirmedBy: remove.confirmedBy }) },
    edit: {
      ...describeChange(edit),
      what: edit.possible ? [...edit.what] : [],
      ...(edit.possible && { keepsId: edit.keepsId }),
      ...(edit.possible && edit.timesMax !== undefined && { timesMax: edit.timesMax }),
    },
  }
}

function describeChange(rule: RemovalRule | EditRule) {
  if (!rule.possible) return { possible: false, reason: rule.reason, exceptions: [], source: rule.source }
  const { scope, minutesMax, exceptions = [], price, warning, source } = rule
  return {
    possible: true,
    ...(scope !== undefined && { scope }),
    ...(minutesMax !== undefined && { minutesMax }),
    exceptions: exceptions.map(describeException),
    ...(price && { usdMicros: price.usdMicros }),
    ...(warning !== undefined && { warning }),
    ...(source && { source }),
  }
}

const describeException = ({ reason, accounts, kind, postTypes, source }: ChangeException) => ({
  reason,
  ...(accounts && { accounts }),
  ...(kind && { kind }),
  ...(postTypes && { postTypes: [...postTypes] }),
  source,
})
