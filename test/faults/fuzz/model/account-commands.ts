import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { deleteMembership, upsertMembership } from '../../../../db/queries/people.ts'
import { ERRORS } from '../../../../schemas/errors.ts'
import { UNKNOWN_ID } from '../ids.ts'
import { command, index, often, pick, requireError, requireReply, user } from './command.ts'
import { comparableAccount, expectedAccount } from './expected.ts'
import { sendCreate, sendMode } from './key-commands.ts'
import type { Model } from './model.ts'
import { type Service, send } from './service.ts'

export const connect = fc
  .record({
    user,
    name: fc.nat({ max: 2 }),
    displayName: fc.option(fc.constant('Ada'), { nil: undefined }),
    organization: fc.constantFrom('none', 'none', 'none', 'own', 'own', 'unknown'),
    token: fc.constantFrom(...often(7, 'valid'), 'expired'),
    sendMode,
  })
  .map((values) =>
    command('connect', values, async (model, service) => {
      const { user, displayName, token } = values
      const username = `handle-${values.name}`
      const organizationId = { none: undefined, own: service.organization, unknown: UNKNOWN_ID }[values.organization]
      const credentials = { username, token, ...(displayName !== undefined && { displayName }) }
      const reply = await sendCreate(values.sendMode, model, service, {
        user,
        operationId: 'connectAccount',
        path: '/accounts',
        body: { platform: 'sandbox', credentials, ...(organizationId !== undefined && { organizationId }) },
      })
      const hasNoAccess =
        values.organization === 'unknown' || (values.organization === 'own' && !model.members.has(user))
      if (hasNoAccess) {
        requireReply(reply, 403, { error: `You have no access to this organizationId: ${organizationId}` })
      } else if (values.organization === 'own') {
        requireReply(reply, 403, { error: ERRORS.not_organization_admin.message })
      } else if (token === 'expired') requireError(400, reply)
      else {
        const account = model.connect(user, username, displayName, false)
        const isNew = account.id === ''
        if (isNew) account.id = reply.body.id
        requireReply(reply, isNew ? 201 : 200, expectedAccount(account, user, service))
      }
    }),
  )

export const disconnect = fc.record({ user, account: index }).map((values) =>
  command('disconnect', values, async (model, service) => {
    const account = pick(model.accounts, values.account)
    const reply = await send(service, values.user, 'disconnectAccount', `/accounts/${account?.id ?? UNKNOWN_ID}`)
    const status = account ? model.disconnect(values.user, account) : 404
    const error = { 403: ERRORS.not_account_owner.message, 404: 'Account not found', 200: '' }[status]
    requireReply(reply, status, status === 200 ? { success: true } : { error })
  }),
)

/** A user joins or leaves the organisation. */
export const changeMembership = fc.record({ user, joins: fc.boolean() }).map((values) =>
  command(values.joins ? 'join' : 'leave', { user: values.user }, async (model, { users, organization, world }) => {
    const membership = { userId: users[values.user]!.id, organizationId: organization }
    if (values.joins) {
      model.members.add(values.user)
      await upsertMembership(world.db, { ...membership, role: 'member' })
    } else {
      model.members.delete(values.user)
      await deleteMembership(world.db, membership)
    }
  }),
)

export const listAccounts = user.map((user) =>
  command('listAccounts', { user }, (model, service) => compareAccounts(model, service, user)),
)

export async function compareAccounts(model: Model, service: Service, user: number): Promise<void> {
  const { status, body } = await send(service, user, 'listAccounts', '/accounts')
  deepStrictEqual(
    [status, body.data.map(comparableAccount)],
    [200, model.accountsOf(user).map((account) => expectedAccount(account, user, service))],
  )
}
