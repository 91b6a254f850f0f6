import { type Command, Option } from 'commander'
import { DELIVERY_STATES } from '../../schemas/delivery-states.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import type { Io } from './action.ts'
import { withDatabase } from './command.ts'
import { LIMIT_DEFAULT, parseInstant, parseLimit, parseSince } from './options.ts'

export function addDeliveryCommands(program: Command, io: Io): void {
  const delivery = program.command('delivery').description('deliveries: one post on one account')
  const actions = () => import('./actions/delivery.ts')

  withDatabase(
    delivery
      .command('list')
      .description('list deliveries of all users, by the time at which they are due, latest first')
      .addOption(new Option('--state <state>', 'only this state').choices(DELIVERY_STATES))
      .addOption(new Option('--platform <platform>', 'only this network').choices(PLATFORM_IDS))
      .option('--since <time>', 'only those due since this time, such as 24h or 2027-01-31T09:30:00Z', parseSince)
      .option('--limit <n>', 'the number of deliveries, at most', parseLimit, LIMIT_DEFAULT),
    io,
    async () => (await actions()).list,
  )

  withDatabase(
    delivery
      .command('hold')
      .description(
        'do not send queued deliveries that are due before a time: they become missed until they are released',
      )
      .requiredOption('--due-before <time>', 'the time, such as 2027-01-31T09:30:00Z', parseInstant),
    io,
    async () => (await actions()).hold,
  )

  withDatabase(
    delivery
      .command('release')
      .description('queue deliveries again that were held, or that a restore did not send: at their time, or now')
      .option('--due-before <time>', 'only those that are due before this time', parseInstant),
    io,
    async () => (await actions()).release,
  )
}
