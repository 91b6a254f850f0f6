import type { Io } from '../../action.ts'
import { print } from '../../output.ts'
import { createProgress } from '../import/progress.ts'
import { type Outcome, outcomeToText } from '../send/send-once.ts'

export interface ReportOptions {
  dryRun?: boolean
  json?: boolean
}

/** Sends one after the other, prints the outcomes, and sets the exit code to 1 if one was refused. */
export async function reportEach<Item>(
  io: Io,
  items: Item[],
  { dryRun = false, json = false }: ReportOptions,
  send: (item: Item) => Promise<Outcome & { source: string }>,
): Promise<void> {
  const data: (Outcome & { source: string })[] = []
  const progress = createProgress(io.stderr, items.length)
  try {
    for (const item of items) {
      progress.update(data.length)
      data.push(await send(item))
    }
  } finally {
    progress.end()
    printReport(io, data, { dryRun, json })
  }
  if (data.some(({ outcome }) => outcome === 'refused')) io.exitCode = 1
}

/** Prints the outcomes, also those before an error that ends the run. */
function printReport(io: Io, data: (Outcome & { source: string })[], { dryRun, json }: Required<ReportOptions>): void {
  const count = (wanted: Outcome['outcome']) => data.filter(({ outcome }) => outcome === wanted).length
  const summary = {
    isDryRun: dryRun,
    posts: data.length,
    created: count(dryRun ? 'valid' : 'created'),
    existing: count('exists'),
    refused: count('refused'),
  }
  print(io, { ...summary, data }, { json }, ({ data, ...count }) =>
    [
      ...data.map((each) => outcomeToText(each.source, each)),
      `${count.posts} ${count.posts === 1 ? 'post' : 'posts'}: ${count.created} ${dryRun ? 'would be created' : 'created'}, ${count.existing} exist already, ${count.refused} refused`,
    ].join('\n'),
  )
}
