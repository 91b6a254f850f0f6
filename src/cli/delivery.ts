import type { Command } from 'commander'
import { holdDeliveries, releaseDeliveries } from '../delivery/hold.ts'
import { withDatabase } from './command.ts'
import { parseInstant } from './options.ts'

export function addDeliveryCommands(program: Command): void {
  const delivery = program.command('delivery').description('posts on their way to one account each')

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
