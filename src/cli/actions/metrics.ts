import { isId } from '../../../db/id.ts'
import { findDeliveryMetrics } from '../../../db/queries/numbers/find.ts'
import { listMeasured } from '../../../db/queries/numbers/recent.ts'
import { userExists } from '../../../db/queries/people.ts'
import { type MeasuredRow, toCsv } from '../../engine/numbers/csv.ts'
import { describeMetrics } from '../../engine/numbers/describe.ts'
import { readConfig } from '../../run/config/config.ts'
import { openDatabase } from '../../run/runtime/database.ts'
import { escapeControls } from '../../run/runtime/terminal.ts'
import type { Io, Terminal } from '../action.ts'
import { formatRead, metricColumns, toMinute } from '../metric-columns.ts'
import { print } from '../output.ts'
import { type Columns, formatList, type Listed, readLimited } from '../table.ts'
import { requireFound } from './on-database.ts'

interface Options {
  user?: string
  account?: string
  limit: number
  csv?: boolean
  json?: boolean
}

type Row = MeasuredRow & { caption: string }

/** Prints the numbers of the newest published posts. */
export async function printMetrics(io: Io, { user, account, limit, csv, json = false }: Options): Promise<void> {
  const config = readConfig(io.env)
  const { db, close } = await openDatabase(config, { purpose: 'metrics' })
  try {
    if (user !== undefined) requireFound(isId(user) && (await userExists(db, user)), 'user')
    if (account !== undefined) requireFound(isId(account), 'account')
    const { data, hasMore } = await readLimited(limit, (limit) =>
      listMeasured(db, { userId: user ?? null, accountId: account ?? null, limit }),
    )
    const found = data.length > 0 ? await findDeliveryMetrics(db, data, { withHistory: false }) : []
    const rows = found.map((row, index): Row => {
      const { username, caption, externalUrl } = data[index]!
      return {
        ...describeMetrics(row, { mode: config.postMetrics, now: Date.now() }, false),
        username,
        caption,
        externalUrl,
      }
    })
    if (csv) io.stdout.write(escapeControls(toCsv(rows)))
    else print(io, { data: rows, hasMore }, { json }, toText)
  } finally {
    await close()
  }
}

/** A terminal of this width has room for times beside the numbers. */
const WITH_TIMES_MIN = 120

function toText(list: Listed<Row>, terminal: Terminal): string {
  const hasTimes = terminal.columns === undefined || terminal.columns >= WITH_TIMES_MIN
  const columns: Columns<Row> = {
    ...(hasTimes && { published: ({ publishedAt }: Row) => publishedAt && toMinute(publishedAt) }),
    account: ({ platform, username }) => `${platform} ${username}`,
    ...metricColumns(list.data, ['views', 'likes', 'comments', 'reposts'], terminal),
    ...(hasTimes && { read: formatRead }),
    post: ({ caption, postId }) => caption || postId,
  }
  return formatList(list, columns, terminal)
}
