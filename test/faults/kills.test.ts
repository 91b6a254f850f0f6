import { Console } from 'node:console'
import { mkdirSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { type Job, type Planned, type Report, STEPS, type Step, type Trouble } from './protocol.ts'
import { createScenario, type Scenario } from './scenario.ts'

/** `make soak` asks for many. */
const KILLS = Number(process.env.KILLS ?? 24)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))

/** Random numbers below 1, the same for the same seed: https://en.wikipedia.org/wiki/Linear_congruential_generator */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Each kind of trouble at each of the steps in turn, until there are so many, in an order of chance. */
function planOf(count: number, troubles: Trouble[], steps: readonly Step[], random: () => number): Planned[] {
  const kinds = troubles.flatMap((trouble) => steps.map((step) => ({ trouble, step })))
  return Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!)
    .map((kind) => ({ kind, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ kind }) => ({ ...kind, nth: 1 + Math.floor(random() * (kind.step === 'claimed' ? 2 : 5)) }))
}

const random = randomOf(SEED)
const results: { name: string; report: Report; acts: number; seconds: number; breaches: string[] }[] = []

async function carryOut(name: string, scenario: Scenario, job: Pick<Job, 'plan' | 'workers'>) {
  const from = performance.now()
  const report = await scenario.run(job)
  const breaches = await scenario.findBreaches(report)
  const seconds = Math.round((performance.now() - from) / 1000)
  results.push({ name, report, acts: await scenario.countActs(), seconds, breaches })
  return { report, breaches }
}

t.test('however often a worker is killed, wherever it is: nothing is lost, and nothing sent twice', async (t) => {
  const plan = planOf(Math.ceil(KILLS * 0.75), ['at', 'after'], STEPS, random)
  const scenario = await createScenario(t, { posts: 24 })
  const { report, breaches } = await carryOut('one worker', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [])
  t.strictSame(report.left, [], 'it was killed as often as planned')
})

t.test('nor where others go on beside the one that is killed', async (t) => {
  const plan = planOf(Math.ceil(KILLS * 0.25), ['at', 'after'], STEPS, random)
  const scenario = await createScenario(t, { posts: 48 })
  const { report, breaches } = await carryOut('two workers', scenario, { plan, workers: 2 })
  t.strictSame(breaches, [])
  t.strictSame(report.left, [], 'they were killed as often as planned')
})

t.test('nor where the answer to a commit is lost', async (t) => {
  const plan = planOf(Math.ceil(KILLS / 4), ['lose'], ['claimed', 'intended', 'settled'], random)
  const scenario = await createScenario(t, { posts: 24 })
  const { report, breaches } = await carryOut('lost answers', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [])
  t.strictSame(report.left, [], 'as many were lost as planned')
})

t.test('nor where a worker stands still until others have done its work, and goes on then', async (t) => {
  const steps = STEPS.filter((step) => step !== 'intended')
  const plan = planOf(Math.ceil(KILLS / 6), ['stall'], steps, random)
  const scenario = await createScenario(t, { posts: 8 })
  const { report, breaches } = await carryOut('stalled worker', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [])
  t.strictSame(report.left, [], 'it stood still as often as planned')
})

t.teardown(() => {
  const columns: [string, (report: Report) => Planned[]][] = [
    ['killed there', ({ done }) => done.filter(({ trouble }) => trouble === 'at')],
    ['killed beyond', ({ done }) => done.filter(({ trouble }) => trouble === 'after')],
    ['answer lost', ({ done }) => done.filter(({ trouble }) => trouble === 'lose')],
    ['stood still', ({ done }) => done.filter(({ trouble }) => trouble === 'stall')],
  ]
  const count = (of: (report: Report) => Planned[], step?: Step) =>
    results.flatMap(({ report }) => of(report)).filter((each) => !step || each.step === step).length
  const counts = Object.fromEntries(
    [...STEPS, undefined].map((step) => [
      step ?? 'in all',
      Object.fromEntries(columns.map(([name, of]) => [name, count(of, step)])),
    ]),
  )
  const runs = results.map(({ name, report, acts, seconds, breaches }) => {
    const { done, left, workers } = report
    return { name, acts, workers, troubles: done.length, left: left.length, breaches: breaches.length, seconds }
  })
  mkdirSync('node_modules/.cache', { recursive: true })
  writeFileSync('node_modules/.cache/kills.json', JSON.stringify({ seed: SEED, counts, runs }, null, 2))
  if (!process.env.KILLS) return
  const table = new Console(process.stderr)
  table.table(counts)
  table.table(runs)
  table.log(`seed ${SEED}, written to node_modules/.cache/kills.json`)
})
