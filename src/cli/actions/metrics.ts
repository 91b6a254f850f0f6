import { isId } from '../../../db/id.ts'
import { userExists } from '../../../db/queries/people.ts'
import { findDeliveryMetrics } from '../../../db/queries/post-metrics/find.ts'
import { listMeasured } from '../../../db/queries/post-metrics/recent.ts'
import { METRIC_NAMES, type Metric } from '../../../schemas/metric-names.ts'
import type { DeliveryMetrics } from '../../../schemas/metrics.ts'
import { readConfig } from '../../config/config.ts'
import { describeMetrics } from '../../post-metrics/describe.ts'
import { openDatabase } from '../../runtime/database.ts'
import { escapeControls } from '../../runtime/terminal.ts'
import type { Io } from '../action.ts'
import { bar } from '../bar.ts'
import { print } from '../output.ts'
import { formatList, type Listed, readLimited } from '../table.ts'
import { requireFound } from './on-database.ts'

interface Options {
  user?: string
  account?: string
  limit: number
  csv?: boolean
  json?: boolean
}

type Row = DeliveryMetrics & { username: string; caption: string; externalUrl: string | null }

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
      return { ...describeMetrics(row, config.postMetrics, false), username, caption, externalUrl }
    })
    if (csv) io.stdout.write(escapeControls(toCsv(rows)))
    else print(io, { data: rows, hasMore }, { json }, toText)
  } finally {
    await close()
  }
}

/** The numbers that have a bar: people compare posts by them. */
const withBars = (rows: Row[]) => {
  const max = (metric: Metric) => Math.max(0, ...rows.map(({ values }) => values[metric] ?? 0))
  const maxima = { views: max('views'), likes: max('likes') }
  return (metric: 'views' | 'likes') =>
    ({ values }: Row) => {
      const value = values[metric]
      return value === null ? null : `${value} ${bar(value, maxima[metric])}`.trimEnd()
    }
}

function toText(list: Listed<Row>): string {
  const cell = withBars(list.data)
  return formatList(list, {
    published: ({ publishedAt }) => publishedAt?.slice(0, 16).replace('T', ' ') ?? null,
    account: ({ platform, username }) => `${platform} ${username}`,
    views: cell('views'),
    likes: cell('likes'),
    comments: ({ values }) => values.comments,
    reposts: ({ values }) => values.reposts,
    read: ({ fetchedAt, goneAt }) => (goneAt ? 'gone' : (fetchedAt?.slice(0, 16).replace('T', ' ') ?? null)),
    post: ({ caption, postId }) => caption || postId,
  })
}

const COLUMNS = ['postId', 'accountId', 'platform', 'username', 'externalUrl', 'publishedAt', 'fetchedAt'] as const

function toCsv(rows: Row[]): string {
  const lines = rows.map((row) => [
    ...COLUMNS.map((column) => row[column] ?? ''),
    ...METRIC_NAMES.map((name) => row.values[name] ?? ''),
  ])
  return [[...COLUMNS, ...METRIC_NAMES], ...lines].map((line) => `${line.map(quote).join(',')}\n`).join('')
}

/** RFC 4180, with plain line breaks. A text that begins like a formula gets a space, or spreadsheets would run it. */
function quote(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@]/.test(value) ? ` ${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
