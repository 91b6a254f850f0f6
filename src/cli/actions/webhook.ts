import { isId } from '../../../db/id.ts'
import { disableAllWebhooks, listAllWebhooks, webhookExists } from '../../../db/queries/webhooks/operator.ts'
import { disableWebhook, enableWebhook } from '../../../db/queries/webhooks/webhooks.ts'
import type { Action } from '../action.ts'
import { formatList, type Listed, readLimited } from '../table.ts'
import { requireFound } from './on-database.ts'

/** A URL may hold a secret in its path or query: the operator sees the host alone. */
const toRow = ({ id, url, disabledReason, ...row }: Awaited<ReturnType<typeof listAllWebhooks>>[number]) => ({
  id,
  host: new URL(url).host,
  state: disabledReason === null ? 'active' : 'disabled',
  disabledReason,
  ...row,
})

export const list: Action<{ failing?: boolean; limit: number }, Listed<ReturnType<typeof toRow>>> = {
  run: ({ db }, { failing: isFailing = false, limit }) =>
    readLimited(limit, async (limit) => (await listAllWebhooks(db, { isFailing, limit })).map(toRow)),
  toText: (list) =>
    formatList(list, {
      id: ({ id }) => id,
      host: ({ host }) => host,
      state: ({ state, disabledReason }) => (disabledReason === null ? state : `${state}: ${disabledReason}`),
      'failing since': ({ failingSince }) => failingSince,
      failures: ({ failures }) => failures,
      owner: ({ userId, userName }) => `${userId} ${userName}`,
      'events of': ({ allUsers, organizationId }) =>
        organizationId === null ? (allUsers ? 'all users' : 'its owner') : `organisation ${organizationId}`,
    }),
}

export const disable: Action<{ all?: boolean }, { disabled: string[] }> = {
  async run({ db }, { all }, id = '') {
    if (all) return { disabled: await disableAllWebhooks(db) }
    requireFound(isId(id) && (await webhookExists(db, id)), 'webhook')
    await disableWebhook(db, id)
    return { disabled: [id] }
  },
  toText: ({ disabled }) => `disabled  ${disabled.length}`,
}

export const enable: Action = {
  async run({ db }, _options, id = '') {
    requireFound(isId(id) && (await webhookExists(db, id)), 'webhook')
    await enableWebhook(db, id)
    return { id, state: 'active' }
  },
}
