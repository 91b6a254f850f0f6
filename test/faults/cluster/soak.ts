import { report } from '../../helpers/report.ts'
import { missingPrograms } from './programs.ts'
import { KINDS, runFailovers } from './run.ts'

/**
 * Runs failovers under load: `node test/faults/cluster/soak.ts [FAILOVERS [STANDBYS]]`. Exits with 1 if a promise was
 * broken.
 */
const [failovers = '20', standbys = '1'] = process.argv.slice(2)

if (missingPrograms) throw new Error(`The cluster ${missingPrograms}`)
const kinds = Array.from({ length: Number(failovers) }, (_, index) => KINDS[index % KINDS.length]!)
const { rows, counts, breaches } = await runFailovers(kinds, Number(standbys))
report('cluster', rows, { counts, breaches })
const { table, log } = console
table({ ...counts, breaches: breaches.length })
for (const breach of breaches) log(breach)
process.exitCode = breaches.length > 0 ? 1 : 0
