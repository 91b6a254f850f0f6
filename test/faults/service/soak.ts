import { report } from '../../helpers/report.ts'
import { isOfLink, KINDS } from './protocol.ts'
import { runFaults } from './run.ts'

/** Causes faults of each kind under load: `node test/faults/service/soak.ts [FAULTS_PER_KIND] [WRITES]`. */
const [perKind = '100', writes = '1000000'] = process.argv.slice(2)

const teardowns: (() => Promise<unknown>)[] = []
const t = { teardown: (work: () => Promise<unknown>) => void teardowns.push(work) }
// The kinds take turns. Those of the link come last, because they need a connection through it.
const rounds = (kinds: (typeof KINDS)[number][]) => Array.from({ length: Number(perKind) }, () => kinds).flat()
const plan = [...rounds(KINDS.filter((kind) => !isOfLink(kind))), ...rounds(KINDS.filter(isOfLink))]
try {
  const { tallies, acknowledged, seconds, breaches } = await runFaults(t, {
    plan,
    pauseMs: 400,
    writes: Number(writes),
  })
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
    'connection broken': tally.broken,
    'timed out': tally.timedOut,
    lost: tally.lost,
    duplicated: tally.duplicated,
    unexpected: tally.unexpected,
    exits: tally.exits,
  }))
  report('service', rows, { acknowledged, seconds: Math.round(seconds), breaches })
  const { log } = console
  log(`${acknowledged} acknowledged writes in ${Math.round(seconds)} s`)
  for (const breach of breaches) log(breach)
  process.exitCode = breaches.length > 0 ? 1 : 0
} finally {
  for (const teardown of teardowns.reverse()) await teardown()
}
