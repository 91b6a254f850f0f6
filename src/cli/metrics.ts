import type { Command } from 'commander'
import type { Io } from './action.ts'
import { withJson } from './command.ts'
import { LIMIT_DEFAULT, parseLimit } from './options.ts'

export function addMetricsCommand(program: Command, io: Io): void {
  withJson(
    program
      .command('metrics')
      .description(
        'print the likes, comments and other numbers of published posts, newest first. - is a number that is not known. METRICS decides which are read',
      )
      .option('--user <id>', 'the id of the user whose posts are printed; without it, those of all users')
      .option('--account <id>', 'the id of an account')
      .option('--limit <number>', 'how many are printed', parseLimit, LIMIT_DEFAULT)
      .option('--csv', 'print them as CSV, with every number'),
  ).action(async (options) => {
    const { printMetrics } = await import('./actions/metrics.ts')
    await printMetrics(io, options)
  })
}
