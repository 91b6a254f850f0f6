import { writeFileSync } from 'node:fs'
import t from 'tap'
import { type Job, type Planned, type Report, STEPS, type Step, type Trouble } from './protocol.ts'
import { createScenario, type Scenario } from './scenario.ts'

/** `make soak` asks for more, and for a report. */
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

const random = randomOf(SEED)

/** Each kind of trouble at each of the steps in turn, until there are so many, in an order of chance. */
function planOf(count: number, troubles: Trouble[], steps: readonly Step[], nthMax: number): Planned[] {
  const kinds = troubles.flatMap((trouble) => steps.map((step) => ({ trouble, step })))
  return Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!)
    .map((kind) => ({ kind, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ kind }) => ({ ...kind, nth: 1 + Math.floor(random() * (kind.step === 'claimed' ? 2 : nthMax)) }))
}

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
  const plan = planOf(Math.ceil(KILLS * 0.75), ['at', 'after'], STEPS, 5)
  const scenario = await createScenario(t, { posts: 24 })
  const { report, breaches } = await carryOut('one worker', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [], `with SEED=${SEED}`)
  t.strictSame(report.left, [], 'it was killed as often as planned')
})

t.test('nor where others go on beside the one that is killed', async (t) => {
  const plan = planOf(Math.ceil(KILLS * 0.25), ['at', 'after'], STEPS, 5)
  const scenario = await createScenario(t, { posts: 48 })
  const { report, breaches } = await carryOut('two workers', scenario, { plan, workers: 2 })
  t.strictSame(breaches, [], `with SEED=${SEED}`)
  t.strictSame(report.left, [], 'they were killed as often as planned')
})

t.test('nor where the answer to a commit is lost', async (t) => {
  const plan = planOf(KILLS, ['lose'], ['claimed', 'intended', 'settled'], 5)
  const scenario = await createScenario(t, { posts: 24 })
  const { report, breaches } = await carryOut('lost answers', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [], `with SEED=${SEED}`)
  t.strictSame(report.left, [], 'as many were lost as planned')
})

t.test('nor where a worker stands still until others have done its work, and goes on then', async (t) => {
  const steps = STEPS.filter((step) => step !== 'intended')
  // Early, while most of what it has claimed is under way.
  const plan = planOf(Math.max(steps.length, Math.ceil(KILLS / 8)), ['stall'], steps, 2)
  const scenario = await createScenario(t, { posts: 8 })
  const { report, breaches } = await carryOut('stalled worker', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [], `with SEED=${SEED}`)
  t.strictSame(report.left, [], 'it stood still as often as planned')
})

t.teardown(() => {
  if (!process.env.KILLS_REPORT) return
  const runs = results.map(({ report: { workers, done, left }, ...result }) => ({ ...result, workers, done, left }))
  writeFileSync(process.env.KILLS_REPORT, JSON.stringify({ seed: SEED, runs }, null, 2))
})
