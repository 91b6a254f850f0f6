import type { Io } from '../../action.ts'
import { MOVED_COLUMNS } from '../../import-columns.ts'
import { readTable } from '../import/csv.ts'
import { type RowOptions, readRow } from '../import/read-row.ts'
import { cellsOf, requireColumns, rowName } from '../import/table-columns.ts'
import { connect, createSender, findAccount } from '../send/send-once.ts'
import { type ReportOptions, reportEach } from './report-each.ts'
import { requireFuture } from './require-future.ts'
import { uploadFiles } from './upload-files.ts'

/** Creates a post from each row, once for each `externalReference`. Rows name accounts, and have addresses of files. */
export async function importCsv(io: Io, path: string, options: ReportOptions & RowOptions): Promise<void> {
  const table = await readTable(path)
  requireColumns(path, table, MOVED_COLUMNS, ['externalReference'])
  const { client, accounts } = await connect(io)
  const send = createSender(client, { isTrial: options.dryRun ?? false })
  const rows = table.rows.map((cells, index) => ({ source: rowName(index), cells: cellsOf(table, cells) }))
  await reportEach(io, rows, options, async ({ source, cells }) => {
    const outcome = await send(source, () => {
      const names = (cells.accounts ?? '').split(/[,;]/).map((name) => name.trim())
      const ids = names.filter(Boolean).map((name) => findAccount(accounts, name))
      const accountIds = [cells.accountIds ?? '', ...ids].join(' ')
      const { externalReference, ...body } = readRow({ ...cells, accountIds }, options)
      return {
        externalReference,
        complete: async () => {
          requireFuture(body)
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
