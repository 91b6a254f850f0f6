import { sql } from 'kysely'
import type { SandboxCall, SandboxFault } from '../../schemas/sandbox.ts'
import { batched, each } from '../batch.ts'
import type { Db } from '../client.ts'
import { newId } from '../id.ts'
import { prepared } from '../prepared.ts'
import { isoTime } from './iso-time.ts'
import type { Page } from './page.ts'
import { userNow } from './user-now.ts'

/** A call with the token of its act, and the number of the act in its delivery. */
interface NewSandboxCall extends Omit<SandboxCall, 'id' | 'receivedAt'> {
  token: string
  number: number
}

interface SandboxRow extends Pick<NewSandboxCall, 'accountId' | 'token' | 'accepted' | 'fault'> {
  id: string
  /** JSON text. */
  content: string
}

const OWNER = sql<string>`(select user_id from accounts where accounts.id = call.account_id)`

const insertSandboxCalls = prepared<
  {
    ids: string[]
    accountIds: string[]
    tokens: string[]
    accepteds: boolean[]
    faults: (SandboxFault | null)[]
    contents: string[]
  },
  never
>('insert_sandbox_calls', (db, value) =>
  db
    .insertInto('sandboxCalls')
    .columns(['id', 'accountId', 'token', 'accepted', 'fault', 'content', 'receivedAt'])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<SandboxRow>`
            unnest(${value('ids')}::uuid[], ${value('accountIds')}::uuid[], ${value('tokens')}::uuid[],
              ${value('accepteds')}::boolean[], ${value('faults')}::text[], ${value('contents')}::jsonb[])`.as<'call'>(
            sql`call(id, account_id, token, accepted, fault, content)`,
          ),
        )
        .selectAll()
        .select(userNow(OWNER).as('receivedAt')),
    ),
)

const insertBatched = batched((db, calls: SandboxRow[]) =>
  insertSandboxCalls(db, {
    ids: each(calls, 'id'),
    accountIds: each(calls, 'accountId'),
    tokens: each(calls, 'token'),
    accepteds: each(calls, 'accepted'),
    faults: each(calls, 'fault'),
    contents: each(calls, 'content'),
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

/** The table of calls to the sandbox. */
export const sandboxStore = (db: Db) => ({
  async keep({ accountId, token, accepted, fault, ...content }: NewSandboxCall): Promise<string> {
    const id = newId()
    await insertBatched(db, { id, accountId, token, accepted, fault, content: JSON.stringify(content) })
    return id
  },
  countFaults: async (act: { token: string; fault: SandboxFault }) => (await countSandboxFaults(db, act))[0]!.count,
  numberOf: async (id: string) => (await findNumber(db, { id }))[0]?.number ?? 0,
  findAccepted: async (act: { token: string }) => (await findAcceptedCall(db, act))[0],
})

const content = <K extends Exclude<keyof SandboxCall, 'id' | 'accountId' | 'accepted' | 'fault' | 'receivedAt'>>(
  key: K,
) => sql<SandboxCall[K]>`content -> ${sql.lit(key)}`.as(key)

interface CallPage extends Page {
  /** Only calls to these accounts; null means all. */
  accountIds: readonly string[] | null
}

/** A page of the calls to accounts that the user owns, connected or disconnected, newest first. */
export const listSandboxCalls = prepared<CallPage, SandboxCall>('list_sandbox_calls', (db, value) =>
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
    .where(sql<boolean>`(${value('accountIds')}::uuid[] is null or accounts.id = any(${value('accountIds')}::uuid[]))`)
    .where('sandboxCalls.id', '<', value('cursor'))
    .orderBy('sandboxCalls.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)
