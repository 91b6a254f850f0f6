import { report } from '../../helpers/report.ts'
import { reason } from './programs.ts'
import { KINDS, runFailovers } from './run.ts'

/** So many failovers under load, and what they took; ends with 1 where anything was lost, or done twice. */
const [failovers = '20'] = process.argv.slice(2)

if (reason) throw new Error(`The cluster ${reason}`)
const kinds = Array.from({ length: Number(failovers) }, (_, number) => KINDS[number % KINDS.length]!)
const { rows, counts, breaches } = await runFailovers(kinds)
report('cluster', rows, { counts, breaches })
const { table, log } = console
table({ ...counts, breaches: breaches.length })
for (const breach of breaches) log(breach)
process.exitCode = breaches.length > 0 ? 1 : 0
