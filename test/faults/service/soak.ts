import { report } from '../../helpers/report.ts'
import { KINDS } from './protocol.ts'
import { runFaults } from './run.ts'

/** The long form: so many faults of each kind, one after another under load, and so many acknowledged writes in all. */
const [each = '100', writes = '1000000'] = process.argv.slice(2)

const teardowns: (() => Promise<unknown>)[] = []
const t = { teardown: (work: () => Promise<unknown>) => void teardowns.push(work) }
// The kinds take turns; those of the link come last, as they take a connection by way of it.
const isOfLink = (kind: string) => kind.startsWith('link')
const rounds = (kinds: (typeof KINDS)[number][]) => Array.from({ length: Number(each) }, () => kinds).flat()
const plan = [...rounds(KINDS.filter((kind) => !isOfLink(kind))), ...rounds(KINDS.filter(isOfLink))]
try {
  const outcome = await runFaults(t, { plan, pauseMs: 400, writes: Number(writes) })
  const { tallies, acknowledged, seconds, breaches } = outcome
  const rows = [...tallies].map(([kind, { recoveries, ...tally }]) => ({
    kind,
    faults: tally.faults,
    requests: tally.requests,
    '201s': tally.created,
    '503s': tally.unavailable,
    'slowest 503, ms': tally.slowestMs,
    'first 201 after ms, p50': recoveries[Math.floor(recoveries.length / 2)] ?? '',
    max: recoveries.at(-1) ?? '',
    'other 5xx': tally.failed,
    'cut off': tally.broken,
    'no answer': tally.hung,
    lost: tally.lost,
    doubled: tally.doubled,
    strays: tally.strays,
    exits: tally.exits,
  }))
  report('faults', rows, { acknowledged, seconds: Math.round(seconds), breaches })
  const { log } = console
  log(`${acknowledged} acknowledged writes in ${Math.round(seconds)} s`)
  for (const breach of breaches) log(breach)
  process.exitCode = breaches.length > 0 ? 1 : 0
} finally {
  for (const work of teardowns.reverse()) await work()
}
