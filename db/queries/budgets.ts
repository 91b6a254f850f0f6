import { type RawBuilder, sql } from 'kysely'
import type { Budget } from '../../schemas/budget.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { at, type Now } from './clock.ts'
import type { DeliveryKey } from './delivery/delivery.ts'

/** The key whose budget counts for a key. It may be revoked: the keys that replace it share its budget. */
const payer = sql`coalesce(api_keys.budget_id, api_keys.id)`

const thisMonth = sql`spending_month(now())`

interface Price extends DeliveryKey {
  micros: number
  now: Now
}

/**
 * The owner of a budget that cannot pay for a call in its month, beside earlier payments and reservations; null if each
 * can. After the intent of the call, whose price is reserved then, `micros` is 0. Sums are exact: the intent has locked
 * them. `table` has the key that pays.
 */
const findUsedUp = (name: string, table: 'post_targets' | 'delivery_changes') =>
  prepared<Price, { payer: 'account' | 'key' | null; month: string }>(name, (_db, value) => {
    const month = sql`spending_month(${at(value('now'))})`
    const isOver = (limit: RawBuilder<unknown>, sums: RawBuilder<unknown>) => sql`
      ${limit} < ${value('micros')}::bigint + coalesce((
        select reserved_micros + spent_micros from ${sums} and month = ${month}), 0)`
    return sql`
      select to_char(${month}, 'YYYY-MM') as month,
        case
          when ${isOver(sql`accounts.budget_micros`, sql`account_spending where account_id = accounts.id`)} then 'account'
          when ${isOver(sql`paying.budget_micros`, sql`key_spending where key_id = paying.id`)} then 'key' end as payer
      from ${sql.table(table)} as paid
      join accounts on accounts.id = paid.account_id
      left join api_keys on api_keys.id = paid.key_id
      left join api_keys as paying on paying.id = ${payer}
      where paid.user_id = ${value('userId')} and paid.post_id = ${value('postId')}
        and paid.account_id = ${value('accountId')}`
  })

export const findUsedUpBudget = findUsedUp('find_used_up_budget', 'post_targets')
export const findUsedUpBudgetOfChange = findUsedUp('find_used_up_budget_of_change', 'delivery_changes')

interface Payment {
  accountId: string
  micros: number
}

/**
 * Counts what a reading costs as spent by its account, and returns the month. No row, and nothing is counted: the
 * account's budget does not cover it.
 */
export const payForReading = prepared<Payment & { now: Now }, { month: string }>('pay_for_reading', (_db, value) => {
  const micros = sql`${value('micros')}::bigint`
  return sql`
    insert into account_spending as sums (account_id, month, reserved_micros, spent_micros)
    select id, spending_month(${at(value('now'))}), 0, ${micros} from accounts
    where id = ${value('accountId')} and ${micros} <= coalesce(budget_micros, ${micros})
    on conflict (account_id, month) do update set spent_micros = sums.spent_micros + excluded.spent_micros
    where not exists (
      select from accounts
      where id = sums.account_id and budget_micros < sums.reserved_micros + sums.spent_micros + excluded.spent_micros)
    returning to_char(month, 'YYYY-MM-DD') as month`
})

/** Gives back what a reading did not cost after all. */
export const giveBack = prepared<Payment & { month: string }, never>(
  'give_back',
  (_db, value) => sql`
    update account_spending set spent_micros = spent_micros - ${value('micros')}::bigint
    where account_id = ${value('accountId')} and month = ${value('month')}::date`,
)

const columns = (limit: RawBuilder<unknown>) => sql`
  to_char(${thisMonth}, 'YYYY-MM') as month, ${limit} as limit_usd_micros,
  coalesce(sums.spent_micros, 0) as spent_usd_micros, coalesce(sums.reserved_micros, 0) as reserved_usd_micros`

/** The budget of an account in this month, with its spending. */
export async function readAccountBudget(db: Db, accountId: string): Promise<Budget> {
  const { rows } = await sql<Budget>`
    select ${columns(sql`accounts.budget_micros`)}
    from accounts
    left join account_spending as sums on sums.account_id = accounts.id and sums.month = ${thisMonth}
    where accounts.id = ${accountId}`.execute(db)
  return rows[0]!
}

/** The budget that counts for a key in this month, with its spending. */
export async function readKeyBudget(db: Db, keyId: string): Promise<Budget> {
  const { rows } = await sql<Budget>`
    select ${columns(sql`paying.budget_micros`)}
    from api_keys
    join api_keys as paying on paying.id = ${payer}
    left join key_spending as sums on sums.key_id = paying.id and sums.month = ${thisMonth}
    where api_keys.id = ${keyId}`.execute(db)
  return rows[0]!
}

export async function storeAccountBudget(db: Db, accountId: string, limit: number | null): Promise<void> {
  await sql`update accounts set budget_micros = ${limit} where id = ${accountId}`.execute(db)
}

export async function storeKeyBudget(db: Db, keyId: string, limit: number | null): Promise<void> {
  await sql`
    update api_keys as paying set budget_micros = ${limit}
    from api_keys
    where api_keys.id = ${keyId} and paying.id = ${payer}`.execute(db)
}

/** The key whose budget counts for this key, and whether it has a limit. */
export async function findPayer(db: Db, keyId: string): Promise<{ id: string; isLimited: boolean } | undefined> {
  const { rows } = await sql<{ id: string; isLimited: boolean }>`
    select paying.id, paying.budget_micros is not null as is_limited
    from api_keys join api_keys as paying on paying.id = ${payer}
    where api_keys.id = ${keyId}`.execute(db)
  return rows[0]
}
