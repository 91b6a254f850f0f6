import { type Command, Option } from 'commander'
import { listDeliveries } from '../../db/queries/delivery/list.ts'
import { DELIVERY_STATES, type DeliveryState } from '../../schemas/delivery.ts'
import { PLATFORM_IDS, type PlatformId } from '../../schemas/platform.ts'
import { holdDeliveries, releaseDeliveries } from '../delivery/hold.ts'
import { withDatabase } from './command.ts'
import { parseInstant, parseSince } from './options.ts'
import { formatList, LIMIT_DEFAULT, type Listed, parseLimit, readLimited } from './table.ts'

export function addDeliveryCommands(program: Command): void {
  const delivery = program.command('delivery').description('deliveries: one post on one account')
  addList(delivery)

  withDatabase<{ dueBefore: Date }>(
    delivery
      .command('hold')
      .description(
        'do not send queued deliveries that are due before a time: they become missed until they are released',
      )
      .requiredOption('--due-before <time>', 'the time, such as 2027-01-31T09:30:00Z', parseInstant),
    async (db, { dueBefore }) => ({ ...(await holdDeliveries(db, dueBefore)) }),
  )

  withDatabase<{ dueBefore?: Date }>(
    delivery
      .command('release')
      .description('queue deliveries again that were held, or that a restore did not send: at their time, or now')
      .option('--due-before <time>', 'only those that are due before this time', parseInstant),
    async (db, { dueBefore = null }) => ({ released: await releaseDeliveries(db, dueBefore) }),
  )
}

interface ListOptions {
  state?: DeliveryState
  platform?: PlatformId
  since?: Date
  limit: number
}

type Row = Awaited<ReturnType<typeof listDeliveries>>[number]

function addList(delivery: Command): void {
  withDatabase<ListOptions, Listed<Row>>(
    delivery
      .command('list')
      .description('list deliveries of all users, by the time at which they are due, latest first')
      .addOption(new Option('--state <state>', 'only this state').choices(DELIVERY_STATES))
      .addOption(new Option('--platform <platform>', 'only this network').choices(PLATFORM_IDS))
      .option('--since <time>', 'only those due since this time, such as 24h or 2027-01-31T09:30:00Z', parseSince)
      .option('--limit <n>', 'the number of deliveries, at most', parseLimit, LIMIT_DEFAULT),
    (db, { limit, ...filter }) => readLimited(limit, (limit) => listDeliveries(db, { ...filter, limit })),
    (list) =>
      formatList(list, {
        post: ({ postId }) => postId,
        account: ({ platform, username }) => `${platform} ${username}`,
        state: ({ state }) => state,
        attempts: ({ attempts }) => attempts,
        due: ({ dueAt }) => dueAt,
        'next attempt': ({ nextAttemptAt }) => nextAttemptAt,
        'account rests until': ({ accountRestsUntil }) => accountRestsUntil,
        error: ({ error }) => error && `${error.code}: ${error.message}`,
      }),
  )
}
