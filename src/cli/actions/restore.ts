import { existsSync } from 'node:fs'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import { OperatorError } from '../../base/errors.ts'
import { finishRestore, RestoreError } from '../../engine/journal/restore.ts'
import type { RestoreReport } from '../../engine/journal/restore-report.ts'
import { createNetworks } from '../../platforms/adapters.ts'
import { openJournalFiles } from '../../run/runtime/media-library.ts'
import type { Action } from '../action.ts'
import { type Columns, formatTable } from '../table.ts'

export const finish: Action<{ backupTaken: Date; dryRun?: boolean }, Report> = {
  async run({ db, config }, { backupTaken, dryRun: isDryRun = false }) {
    if (!config.s3 && !existsSync(config.mediaDir)) {
      throw new OperatorError(`MEDIA_DIR ${config.mediaDir} does not exist: set it to the folder that the workers use`)
    }
    const files = await openJournalFiles(config)
    const deps = { db, files, networks: createNetworks(sandboxStore(db)) }
    const report = await finishRestore(deps, { backupTaken, isDryRun }).catch((error) => {
      throw error instanceof RestoreError ? new OperatorError(error.message) : error
    })
    return { dryRun: isDryRun, ...report }
  },
  toText: formatReport,
}

interface Report extends RestoreReport {
  dryRun: boolean
}

/** The most deliveries that are printed for people. --json has all. */
const ROWS_MAX = 20

function formatReport({ dryRun, journal, notInBackup, outcomes, deliveries, lost }: Report): string {
  return [
    `dry run        ${dryRun ? 'yes' : 'no'}\njournal        ${journal}\nnot in backup  ${notInBackup}`,
    ...(outcomes.length === 0
      ? ['No delivery is changed.']
      : [
          formatTable(outcomes, {
            network: ({ network }) => network,
            outcome: ({ outcome }) => outcome,
            deliveries: ({ deliveries }) => deliveries,
          }),
          formatFirst(deliveries, {
            outcome: ({ outcome }) => outcome,
            network: ({ network }) => network,
            post: ({ postId }) => postId,
            account: ({ accountId }) => accountId,
            user: ({ userId }) => userId,
          }),
        ]),
    ...(lost.length === 0
      ? []
      : [
          formatFirst(lost, {
            'not in backup': ({ postId }) => postId,
            account: ({ accountId }) => accountId,
            user: ({ userId }) => userId,
            published: ({ externalUrl }) => externalUrl,
          }),
        ]),
  ].join('\n\n')
}

function formatFirst<Row>(rows: Row[], columns: Columns<Row>): string {
  const left = rows.length - ROWS_MAX
  const table = formatTable(rows.slice(0, ROWS_MAX), columns)
  return left > 0 ? `${table}\n${left} more: --json prints all` : table
}
