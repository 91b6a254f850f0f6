import type { Teardown } from '../../helpers/database.ts'
import { withTemplate } from '../../helpers/database.ts'
import { report } from '../../helpers/report.ts'
import { withServer } from '../../helpers/server.ts'
import { type Caller, createCaller, createFuzzWorld, holdsFor } from './caller.ts'
import { createStage, met, playThrough, type Stage } from './commands.ts'
import { operations, requests } from './requests.ts'
import { hold, SEED } from './seed.ts'

/** Sends so many requests, nine in ten of them made from the document, the rest by steps that a model follows. */
const [count = '1000000'] = process.argv.slice(2)

/** So many callers send at the same time. */
const CALLERS = 6
const SHARE_OF_MODEL = 0.1
const RUNS_AT_ONCE = 50
const SHOWN_EVERY_MS = 30_000

const startedAt = Date.now()
const rows = new Map(
  operations.map(({ operationId }) => [
    operationId,
    { operation: operationId, requests: 0, 'carried out': 0, 'refused, and right': 0, 'refused, and wrong': 0 },
  ]),
)
const statuses: Record<string, number> = {}
let sent = 0
const breaches: string[] = []
const { log, table } = console

/** Throws what is wrong together, at the end: what else was found is told as well. */
async function attempt(work: () => Promise<void>): Promise<void> {
  await work().catch((error: Error) => {
    breaches.push(error.message)
    log(error.message)
  })
}

async function sendRequests(callers: Caller[]): Promise<void> {
  const each = Math.ceil((Number(count) * (1 - SHARE_OF_MODEL)) / callers.length)
  await Promise.all(
    callers.map(async (caller, index) => {
      const property = holdsFor(caller, requests, ({ statusCode }, { operation, expected }) => {
        sent++
        statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
        const row = rows.get(operation.operationId)!
        row.requests++
        row[statusCode < 400 ? 'carried out' : expected === 'taken' ? 'refused, and right' : 'refused, and wrong']++
      })
      await attempt(() => hold(property, { numRuns: each, seed: SEED + index }))
    }),
  )
}

async function followModel(stage: Stage): Promise<void> {
  const property = playThrough(stage)
  let seed = SEED
  while (met.length < Number(count) * SHARE_OF_MODEL && breaches.length === 0) {
    await attempt(() => hold(property, { numRuns: RUNS_AT_ONCE, seed: seed++ }))
  }
}

const works: (() => Promise<unknown>)[] = []
const t: Teardown = { teardown: (work) => works.unshift(work) }
const show = () => log(`${Math.round((Date.now() - startedAt) / 1000)} s: ${sent} and ${met.length} requests`)
const timer = setInterval(show, SHOWN_EVERY_MS)
log(`SEED=${SEED}`)
await withServer(() =>
  withTemplate(async () => {
    const world = await createFuzzWorld(t, { poolMax: CALLERS + 2 })
    const callers: Caller[] = []
    while (callers.length < CALLERS) callers.push(await createCaller(world))
    await Promise.all([sendRequests(callers), followModel(await createStage(t))])
    for (const work of works) await work()
  }),
)
clearInterval(timer)

const seconds = Math.round((Date.now() - startedAt) / 1000)
const model = Object.fromEntries(
  Object.entries(Object.groupBy(met, (what) => what)).map(([what, all]) => [what, all!.length]),
)
report('fuzz', [...rows.values()], { seed: SEED, seconds, requests: sent + met.length, statuses, model, breaches })
log(`${sent + met.length} requests in ${seconds} s, ${breaches.length} breaches; statuses ${JSON.stringify(statuses)}`)
table(
  Object.entries(model)
    .sort()
    .map(([what, times]) => ({ 'the model met': what, times })),
)
process.exitCode = breaches.length > 0 ? 1 : 0
