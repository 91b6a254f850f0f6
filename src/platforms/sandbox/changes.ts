import type { ChangeRules } from '../contract/changes.ts'

export const sandboxChanges: ChangeRules = {
  remove: { possible: true, confirmedBy: 'response' },
  edit: { possible: true, what: ['text'], keepsId: true },
}
