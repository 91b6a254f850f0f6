import { type Command, InvalidArgumentError } from 'commander'
import type { Io } from './action.ts'
import { withDatabase } from './command.ts'
import { parseInstant } from './options.ts'

export function addRestoreCommands(program: Command, io: Io): void {
  const restore = program.command('restore').description('a database that was restored from a backup')

  withDatabase(
    restore
      .command('finish')
      .description('find out what was sent after the backup was taken, and let workers send again')
      .requiredOption('--backup-taken <time>', 'when the backup was taken, such as 2027-01-31T09:30:00Z', parsePast)
      .option('--dry-run', 'change nothing, and print what would become of the deliveries'),
    io,
    async () => (await import('./actions/restore.ts')).finish,
  )
}

function parsePast(text: string): Date {
  const time = parseInstant(text)
  if (time.getTime() > Date.now()) throw new InvalidArgumentError('It must not be in the future.')
  return time
}
