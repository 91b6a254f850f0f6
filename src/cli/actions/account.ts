import { isId, newId } from '../../../db/id.ts'
import { insertAccount, listAllAccounts } from '../../../db/queries/accounts.ts'
import { deleteCredentialsOfOtherKeys } from '../../../db/queries/credentials.ts'
import { disconnectAccount } from '../../../db/queries/disconnect.ts'
import { deleteAppsOfOtherKeys } from '../../../db/queries/oauth-apps.ts'
import { userExists } from '../../../db/queries/people.ts'
import { deleteWebhooksOfOtherKeys } from '../../../db/queries/webhooks/secrets.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { OperatorError } from '../../base/errors.ts'
import { attentionOf, attentionTimes } from '../../engine/credentials/attention.ts'
import { rewrapCredentials } from '../../features/accounts/rewrap.ts'
import type { Config } from '../../run/config/config.ts'
import { openKeyring } from '../../run/runtime/keyring.ts'
import type { Action } from '../action.ts'
import { formatList, type Listed, readLimited } from '../table.ts'
import { requireFound } from './on-database.ts'
import { revokeTokensOf } from './revoke.ts'

interface AddOptions {
  platform: PlatformId
  username: string
  displayName?: string
  user: string
  org?: string
}

export const add: Action<AddOptions> = {
  async run({ db }, { platform, username, displayName = null, user, org = null }) {
    requireFound(isId(user), 'user')
    requireFound(org === null || isId(org), 'organisation')
    const account = { id: newId(), platform, username, displayName, userId: user, organizationId: org }
    await insertAccount(db, account)
    return account
  },
}

interface ListOptions {
  user?: string
  platform?: PlatformId
  attention?: boolean
  limit: number
}

const toRow = ({
  id,
  platform,
  username,
  credentials,
  credentialsExpireAt,
  attention,
  ...owner
}: Awaited<ReturnType<typeof listAllAccounts>>[number]) => ({
  id,
  platform,
  username,
  connected: credentials !== null,
  attention: attentionOf({ attention, credentials, credentialsExpireAt }),
  ...owner,
})

export const list: Action<ListOptions, Listed<ReturnType<typeof toRow>>> = {
  async run({ db }, { user, platform, attention = false, limit }) {
    requireFound(user === undefined || (await userExists(db, user)), 'user')
    const filter = { userId: user, platform, needsAttention: attention ? attentionTimes() : undefined }
    return readLimited(limit, async (limit) => (await listAllAccounts(db, { ...filter, limit })).map(toRow))
  },
  toText: (list) =>
    formatList(list, {
      id: ({ id }) => id,
      account: ({ platform, username }) => `${platform} ${username}`,
      connected: ({ connected }) => connected,
      attention: ({ attention }) => attention && `${attention.code}: ${attention.message}`,
      owner: ({ userId, userName }) => `${userId} ${userName}`,
      organisation: ({ organizationId }) => organizationId,
    }),
}

export const rewrap: Action = {
  async run({ db, config }) {
    const keyring = await requireKeyring(config)
    const { rewrapped, failures } = await rewrapCredentials(db, keyring)
    const failed = failures.length
    if (failed > 0) throw new OperatorError(`${rewrapped} rewrapped, ${failed} failed: ${failures[0]}`)
    return { rewrapped, failed }
  },
}

export const forgetLost: Action = {
  async run({ db, config }) {
    const { keyIds } = await requireKeyring(config)
    const apps = await deleteAppsOfOtherKeys(db, keyIds)
    const webhooks = await deleteWebhooksOfOtherKeys(db, keyIds)
    return { deleted: await deleteCredentialsOfOtherKeys(db, keyIds), apps, webhooks }
  },
}

export const disconnect: Action = {
  async run(context, _options, id = '') {
    const disconnected = isId(id) ? await disconnectAccount(context.db, id) : undefined
    requireFound(disconnected !== undefined, 'account')
    await revokeTokensOf([disconnected!], context)
    return { id, disconnected: true }
  },
}

async function requireKeyring(config: Config) {
  const keyring = await openKeyring(config)
  if (!keyring) throw new OperatorError('CREDENTIALS_KEY is not set')
  return keyring
}
