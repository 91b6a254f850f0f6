import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { readConfig } from '../config.ts'
import { finishRestore, RestoreError } from '../delivery/restore.ts'
import { OperatorError } from '../errors.ts'
import { createNetworks } from '../platforms/adapters.ts'
import { openJournalFiles } from '../runtime/media-library.ts'
import { withDatabase } from './command.ts'
import { parseInstant } from './options.ts'

export function addRestoreCommands(program: Command): void {
  const restore = program.command('restore').description('a database that was restored from a backup')

  withDatabase<{ backupTaken: Date; dryRun?: boolean }>(
    restore
      .command('finish')
      .description('find out what was sent after the backup was taken, and let workers send again')
      .requiredOption('--backup-taken <time>', 'when the backup was taken, such as 2027-01-31T09:30:00Z', parsePast)
      .option('--dry-run', 'change nothing, and print what would become of the deliveries'),
    async (db, { backupTaken, dryRun: isDryRun = false }) => {
      const config = readConfig(process.env)
      if (!config.s3 && !existsSync(config.mediaDir)) {
        throw new OperatorError(
          `MEDIA_DIR ${config.mediaDir} does not exist: set it to the folder that the workers use`,
        )
      }
      const files = await openJournalFiles(config)
      const deps = { db, files, networks: createNetworks(sandboxStore(db)) }
      const report = await finishRestore(deps, { backupTaken, isDryRun }).catch((error) => {
        throw error instanceof RestoreError ? new OperatorError(error.message) : error
      })
      return { dryRun: isDryRun, ...report }
    },
  )
}

function parsePast(text: string): Date {
  const time = parseInstant(text)
  if (time.getTime() > Date.now()) throw new InvalidArgumentError('It must not be in the future.')
  return time
}
