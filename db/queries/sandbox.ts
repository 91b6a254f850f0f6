import { sql } from 'kysely'
import type { SandboxCall, SandboxFault } from '../../schemas/sandbox.ts'
import { type Db, prepared } from '../client.ts'
import { newId } from '../id.ts'
import { isoTime } from './iso-time.ts'
import type { Page } from './page.ts'

/** A call with the act that it is for: its token, and its number in its delivery. */
interface NewSandboxCall extends Omit<SandboxCall, 'id' | 'receivedAt'> {
  token: string
  number: number
}

interface SandboxRow extends Pick<NewSandboxCall, 'accountId' | 'token' | 'accepted' | 'fault'> {
  id: string
  /** JSON text. */
  content: string
}

const insertSandboxCall = prepared<SandboxRow, never>('insert_sandbox_call', (db, value) =>
  db.insertInto('sandboxCalls').values({
    id: value('id'),
    accountId: value('accountId'),
    token: value('token'),
    accepted: value('accepted'),
    fault: value('fault'),
    content: value('content'),
  }),
)

const countSandboxFaults = prepared<{ token: string; fault: SandboxFault }, { count: number }>(
  'count_sandbox_faults',
  (db, value) =>
    db
      .selectFrom('sandboxCalls')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('token', '=', value('token'))
      .where('fault', '=', value('fault')),
)

const findNumber = prepared<{ id: string }, { number: number }>('find_sandbox_number', (db, value) =>
  db
    .selectFrom('sandboxCalls')
    .select(sql<number>`(content->>'number')::integer`.as('number'))
    .where('id', '=', value('id')),
)

const findAcceptedCall = prepared<{ token: string }, { id: string; fault: SandboxFault | null }>(
  'find_accepted_sandbox_call',
  (db, value) =>
    db
      .selectFrom('sandboxCalls')
      .select((eb) => ['id', eb.ref('fault').$castTo<SandboxFault | null>().as('fault')])
      .where('token', '=', value('token'))
      .where('accepted', '=', true)
      .orderBy('id', 'desc')
      .limit(1),
)

/** Where the sandbox keeps what it is sent. */
export const sandboxStore = (db: Db) => ({
  async keep({ accountId, token, accepted, fault, ...content }: NewSandboxCall): Promise<string> {
    const id = newId()
    await insertSandboxCall(db, { id, accountId, token, accepted, fault, content: JSON.stringify(content) })
    return id
  },
  countFaults: async (act: { token: string; fault: SandboxFault }) => (await countSandboxFaults(db, act))[0]!.count,
  numberOf: async (id: string) => (await findNumber(db, { id }))[0]?.number ?? 0,
  findAccepted: async (act: { token: string }) => (await findAcceptedCall(db, act))[0],
})

const content = <K extends Exclude<keyof SandboxCall, 'id' | 'accountId' | 'accepted' | 'fault' | 'receivedAt'>>(
  key: K,
) => sql<SandboxCall[K]>`content -> ${sql.lit(key)}`.as(key)

/** A page of what was sent, after `cursor`, to accounts that the user owns, connected or not, newest first. */
export const listSandboxCalls = prepared<Page, SandboxCall>('list_sandbox_calls', (db, value) =>
  db
    .selectFrom('sandboxCalls')
    .innerJoin('accounts', 'accounts.id', 'sandboxCalls.accountId')
    .select((eb) => [
      'sandboxCalls.id',
      'accountId',
      'accepted',
      eb.ref('fault').$castTo<SandboxFault | null>().as('fault'),
      content('kind'),
      content('text'),
      content('fields'),
      content('media'),
      content('parentId'),
      isoTime('receivedAt').as('receivedAt'),
    ])
    .where('accounts.userId', '=', value('userId'))
    .where('sandboxCalls.id', '<', value('cursor'))
    .orderBy('sandboxCalls.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)
