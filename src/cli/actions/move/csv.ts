import { OperatorError } from '../../../errors.ts'
import { isPast, PAST_TIME } from '../../../posts/schedule.ts'
import type { Io } from '../../action.ts'
import { MOVED_COLUMNS } from '../../import-columns.ts'
import { readTable } from '../import/csv.ts'
import { readRow } from '../import/read-row.ts'
import { requireColumns, rowNumber } from '../import/table-columns.ts'
import { connect, findAccount, sendOnce } from '../send/send-once.ts'
import { type ReportOptions, reportEach } from './report-each.ts'
import { uploadFiles } from './upload-files.ts'

interface Options extends ReportOptions {
  timeZone?: string
}

/** Creates a post from each row, once for each `externalReference`. Rows name accounts, and have addresses of files. */
export async function importCsv(io: Io, path: string, { timeZone, ...options }: Options): Promise<void> {
  const table = await readTable(path)
  requireColumns(path, table, MOVED_COLUMNS, ['externalReference'])
  const { client, accounts } = await connect(io)
  const rows = table.rows.map((cells, index) => ({
    source: `row ${rowNumber(index)}`,
    cells: Object.fromEntries(table.header.map((name, at) => [name, cells[at]!])),
  }))
  await reportEach(io, rows, options, async ({ source, cells }) => {
    const outcome = await sendOnce(client, options.dryRun ?? false, () => {
      const names = (cells.accounts ?? '').split(/[,;]/).map((name) => name.trim())
      const ids = names.filter(Boolean).map((name) => findAccount(accounts, name))
      const accountIds = [cells.accountIds ?? '', ...ids].join(' ')
      const { externalReference, ...body } = readRow({ ...cells, accountIds }, timeZone)
      if (isPast(body)) throw new OperatorError(PAST_TIME)
      return {
        externalReference,
        complete: async () => {
          const urls = (cells.media ?? '').split(/\s+/).filter(Boolean)
          const { mediaIds } = await uploadFiles(
            client,
            urls.map((url) => ({ url })),
          )
          return { ...body, mediaIds: [...(body.mediaIds ?? []), ...mediaIds] }
        },
      }
    })
    return { source, ...outcome }
  })
}
