import { writeFileSync } from 'node:fs'
import t from 'tap'
import { type Job, type Planned, type Report, STEPS, type Step, type Trouble } from './protocol.ts'
import { createScenario, type Scenario } from './scenario.ts'

/** Number of kills; soak.ts sets more. */
const KILLS = Number(process.env.KILLS ?? 24)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))

/** Random numbers below 1, repeatable by the seed: https://en.wikipedia.org/wiki/Linear_congruential_generator */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const random = randomOf(SEED)

/** `count` faults that cover each kind at each step, in random order. */
function planOf(count: number, troubles: Trouble[], steps: readonly Step[], nthMax: number): Planned[] {
  const kinds = troubles.flatMap((trouble) => steps.map((step) => ({ trouble, step })))
  return Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!)
    .map((kind) => ({ kind, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ kind }) => ({ ...kind, nth: 1 + Math.floor(random() * (kind.step === 'claimed' ? 2 : nthMax)) }))
}

const results: { name: string; report: Report; acts: number; seconds: number; breaches: string[] }[] = []

async function runAndCheck(name: string, scenario: Scenario, job: Pick<Job, 'plan' | 'workers'>) {
  const from = performance.now()
  const report = await scenario.run(job)
  const breaches = await scenario.findBreaches(report)
  const seconds = Math.round((performance.now() - from) / 1000)
  results.push({ name, report, acts: await scenario.countActs(), seconds, breaches })
  return { report, breaches }
}

t.test('no act is lost or sent twice when the only worker is killed at any step', async (t) => {
  const plan = planOf(Math.ceil(KILLS * 0.75), ['at', 'after'], STEPS, 5)
  const scenario = await createScenario(t, { posts: 24 })
  const { report, breaches } = await runAndCheck('one worker', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [], `with SEED=${SEED}`)
  t.strictSame(report.left, [], 'every planned kill was carried out')
})

t.test('no act is lost or sent twice when one of two workers is killed at any step', async (t) => {
  const plan = planOf(Math.ceil(KILLS * 0.25), ['at', 'after'], STEPS, 5)
  const scenario = await createScenario(t, { posts: 48 })
  const { report, breaches } = await runAndCheck('two workers', scenario, { plan, workers: 2 })
  t.strictSame(breaches, [], `with SEED=${SEED}`)
  t.strictSame(report.left, [], 'every planned kill was carried out')
})

t.test('no act is lost or sent twice, and no old text is sent, when posts are changed after each kill', async (t) => {
  const plan = planOf(Math.ceil(KILLS * 0.75), ['at', 'after'], STEPS, 5)
  const scenario = await createScenario(t, { posts: 24, areEdited: true })
  const { report, breaches } = await runAndCheck('changed posts', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [], `with SEED=${SEED}`)
  t.strictSame(report.left, [], 'every planned kill was carried out')
  t.ok(scenario.editor.replaced.size > 0, `${scenario.editor.replaced.size} captions were replaced`)
  t.ok(scenario.editor.rejected() > 0, `${scenario.editor.rejected()} changes were rejected`)
})

t.test('no act is lost or sent twice when the response to a commit is lost', async (t) => {
  const plan = planOf(KILLS, ['lose'], ['claimed', 'intended', 'settled'], 5)
  const scenario = await createScenario(t, { posts: 24 })
  const { report, breaches } = await runAndCheck('lost responses', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [], `with SEED=${SEED}`)
  t.strictSame(report.left, [], 'every planned response was lost')
})

t.test('no act is lost or sent twice when a suspended worker continues after another one took over', async (t) => {
  const steps = STEPS.filter((step) => step !== 'intended')
  // At an early occurrence of the step, when most of its deliveries are running.
  const plan = planOf(Math.max(steps.length, Math.ceil(KILLS / 8)), ['stall'], steps, 2)
  const scenario = await createScenario(t, { posts: 8 })
  const { report, breaches } = await runAndCheck('suspended worker', scenario, { plan, workers: 1 })
  t.strictSame(breaches, [], `with SEED=${SEED}`)
  t.strictSame(report.left, [], 'every planned suspension was carried out')
})

t.teardown(() => {
  if (!process.env.SOAK_REPORT) return
  const runs = results.map(({ report: { workers, done, left }, ...result }) => ({ ...result, workers, done, left }))
  writeFileSync(process.env.SOAK_REPORT, JSON.stringify({ seed: SEED, runs }, null, 2))
})
