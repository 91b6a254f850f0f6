import { resolve } from 'node:path'
import type { Db } from '../../../db/client.ts'
import { userExists } from '../../../db/queries/people.ts'
import { BATCH } from '../../../schemas/create-posts.ts'
import { OperatorError } from '../../base/errors.ts'
import { makeRenditions } from '../../features/media/renditions.ts'
import { type MakeRenditions, withRenditions } from '../../features/posts/fit.ts'
import { type ImportedPost, type ImportOutcome, importPosts } from '../../features/posts/import.ts'
import { openMediaLibrary } from '../../run/runtime/media-library.ts'
import type { Action } from '../action.ts'
import { COLUMNS, REQUIRED_COLUMNS } from '../import-columns.ts'
import { readTable, type Table, writeTable } from './import/csv.ts'
import { createProgress } from './import/progress.ts'
import { type RowOptions, readRow } from './import/read-row.ts'
import { cellsOf, listSome, requireColumns, rowName, rowNumber } from './import/table-columns.ts'
import { requireFound } from './on-database.ts'
import { createReferences } from './send/references.ts'

interface Options extends RowOptions {
  user: string
  dryRun?: boolean
  refused?: string
}

interface Summary {
  isDryRun: boolean
  rows: number
  created: number
  /** How many of the created posts have a time, and how many have none. */
  scheduled: number
  drafts: number
  existing: number
  refused: number
  /** The file with the refused rows; null if all rows were accepted. */
  refusedFile: string | null
  refusals: { row: number; reason: string }[]
  warnings: string[]
}

export const importFile: Action<Options, Summary> = {
  async run({ db, config, io: { stderr } }, options, path = '') {
    const table = await readTable(path)
    requireColumns(path, table, COLUMNS, REQUIRED_COLUMNS)
    requireFound(await userExists(db, options.user), 'user')
    const refusedFile = options.refused ?? path.replace(/(?:\.csv)?$/i, '.refused.csv')
    if (resolve(refusedFile) === resolve(path)) throw new OperatorError('--refused names the file itself')

    const make: MakeRenditions = async (userId, wanted) =>
      makeRenditions(await openMediaLibrary(config, db), userId, wanted)
    const progress = createProgress(stderr, table.rows.length)
    const outcomes = await importRows(db, table, { ...options, gapMs: config.postGapMs, make }, progress)
    const count = (wanted: ImportOutcome['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted).length
    const refused = count('refused')
    if (refused > 0) await writeTable(refusedFile, refusedRows(table, outcomes))
    return {
      isDryRun: options.dryRun ?? false,
      rows: outcomes.length,
      created: count('created'),
      ...countStatuses(outcomes),
      existing: count('existing'),
      refused,
      refusedFile: refused > 0 ? refusedFile : null,
      refusals: listRefusals(outcomes),
      warnings: listWarnings(outcomes),
    }
  },
  isPartial: ({ refused }) => refused > 0,
  toText: ({ isDryRun, refusedFile, warnings, ...count }) =>
    [
      `${count.rows} rows: ${count.created} ${isDryRun ? 'would be created' : 'created'} (${count.scheduled} scheduled, ${count.drafts} without scheduledAt as ${count.drafts === 1 ? 'a draft' : 'drafts'}), ${count.existing} exist already, ${count.refused} refused`,
      ...(refusedFile === null ? [] : [`The refused rows are in ${refusedFile}, with the reasons.`]),
      ...warnings.map((message) => `warning: ${message}`),
    ].join('\n'),
}

function countStatuses(outcomes: ImportOutcome[]) {
  const statuses = outcomes.flatMap((each) => (each.outcome === 'created' ? [each.status] : []))
  const drafts = statuses.filter((status) => status === 'draft').length
  return { scheduled: statuses.length - drafts, drafts }
}

const listRefusals = (outcomes: ImportOutcome[]) =>
  outcomes.flatMap((each, index) =>
    each.outcome === 'refused' ? [{ row: rowNumber(index), reason: each.reason }] : [],
  )

/** The outcome of each row. Batches are stored one after the other. */
async function importRows(
  db: Db,
  table: Table,
  { user, dryRun = false, gapMs, make, ...options }: Options & { gapMs: number | null; make: MakeRenditions },
  progress: ReturnType<typeof createProgress>,
): Promise<ImportOutcome[]> {
  const { outcomes, posts } = readRows(table, options)
  let done = outcomes.size
  try {
    for (const batch of splitIntoBatches(posts)) {
      progress.update(done)
      const wanted = batch.map(({ post }) => post)
      const stored = await withRenditions(make, () => importPosts(db, user, wanted, { isDryRun: dryRun, gapMs }))
      for (const [at, { index }] of batch.entries()) outcomes.set(index, stored[at]!)
      done += batch.length
    }
  } finally {
    progress.end()
  }
  return table.rows.map((_, index) => outcomes.get(index)!)
}

interface ReadPost {
  /** The index of its row. */
  index: number
  post: ImportedPost
}

/** Reads all rows: those that can be imported, and the reasons of the others. */
function readRows(table: Table, options: RowOptions) {
  const outcomes = new Map<number, ImportOutcome>()
  const posts: ReadPost[] = []
  const requireUnique = createReferences()
  for (const [index, cells] of table.rows.entries()) {
    try {
      const post = readRow(cellsOf(table, cells), options)
      requireUnique(post.externalReference, rowName(index))
      posts.push({ index, post })
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      outcomes.set(index, { outcome: 'refused', reason: error.message })
    }
  }
  return { outcomes, posts }
}

/** Splits posts so that no batch has more posts, or accounts, than it may. */
function splitIntoBatches(posts: ReadPost[]): ReadPost[][] {
  const batches: ReadPost[][] = []
  let accounts = 0
  for (const each of posts) {
    const count = new Set(each.post.accountIds).size
    const last = batches.at(-1)
    if (last && last.length < BATCH.postsMax && accounts + count <= BATCH.accountsMax) {
      last.push(each)
      accounts += count
    } else {
      batches.push([each])
      accounts = count
    }
  }
  return batches
}

/** The refused rows as they were, with the reason in the column `error`, so that they can be corrected and imported. */
function refusedRows(table: Table, outcomes: ImportOutcome[]): Table {
  const kept = table.header.flatMap((name, index) => (name === 'error' ? [] : [index]))
  const pick = (cells: string[]) => kept.map((index) => cells[index]!)
  const rows = table.rows.flatMap((cells, index) => {
    const outcome = outcomes[index]!
    return outcome.outcome === 'refused' ? [[...pick(cells), outcome.reason]] : []
  })
  return { ...table, header: [...pick(table.header), 'error'], rows }
}

const WARNINGS_SHOWN_MAX = 20
const ROWS_SHOWN_MAX = 5

/** Each warning once, with its rows: most rows have the same. */
function listWarnings(outcomes: ImportOutcome[]): string[] {
  const rowsOf = Map.groupBy(
    outcomes.flatMap((each, index) =>
      each.outcome === 'created' ? each.warnings.map(({ message }) => ({ message, row: rowNumber(index) })) : [],
    ),
    ({ message }) => message,
  )
  const shown = [...rowsOf].slice(0, WARNINGS_SHOWN_MAX).map(([message, found]) => {
    const rows = [...new Set(found.map(({ row }) => row))]
    return `${rows.length === 1 ? 'row' : 'rows'} ${listSome(rows.slice(0, ROWS_SHOWN_MAX), rows.length)}: ${message}`
  })
  const left = rowsOf.size - shown.length
  return left === 0 ? shown : [...shown, `${left} more: import fewer rows with --dry-run to see them`]
}
