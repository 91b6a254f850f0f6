import t from 'tap'
import { findCashtags, findHashtags, findLinks, findMentions } from '../../src/platforms/rules/entities.ts'
import { countLength } from '../../src/platforms/rules/text-length.ts'
import { findViolations } from '../../src/platforms/violations.ts'
import { stepCounter } from '../helpers/count-steps.ts'
import { postFor } from '../helpers/limits.ts'
import { collectProblems } from '../helpers/problems.ts'

// Created before the first call of the code that it counts.
const countSteps = stepCounter('src/platforms/')

/** How many times more steps `run` takes for 2,000 repetitions than for 250: 8 if they are linear, 64 if quadratic. */
function growth(run: (repetitions: number) => void): number {
  return countSteps(() => run(2000)) / countSteps(() => run(250))
}

t.test('steps grow 64 times if work is quadratic, and 8 times if it is linear', async (t) => {
  const isQuadratic = (factor: number) => factor > 50 && factor < 80
  t.ok(isQuadratic(growth((repetitions) => /\w+@/.test('ab'.repeat(repetitions)))), 'a backtracking expression')
  t.ok(
    isQuadratic(
      growth((repetitions) => {
        const run = /a*/y
        for (run.lastIndex = 0; run.lastIndex < repetitions; ) {
          const start = run.lastIndex
          run.test('a'.repeat(repetitions))
          run.lastIndex = start + 1
        }
      }),
    ),
    'an expression that starts anew at every character',
  )
  const linear = growth((repetitions) => 'ab'.repeat(repetitions).replace(/ab/g, ''))
  t.ok(linear > 6 && linear < 10, 'consecutive matches')
})

t.test('measuring a hostile text takes linear time', async (t) => {
  const hostile = [
    'a',
    'http://',
    '@a@',
    '@a@b.c.',
    '.',
    'a.',
    '漢.',
    'com.',
    'a_.com',
    'a.com ',
    'a.com漢',
    'a.co/(',
    'a.co/(a(',
    'a.co?!',
    '👨\u200D',
    '👨🏻\u200D',
    '🏴\u{E0067}',
    '\u0301',
    '🇺',
    '#',
    '#a',
    ' $A',
    'a-',
  ]
  const units = ['x', 'mastodon', 'threads', 'graphemes'] as const
  const measures: [string, (text: string) => unknown][] = [
    ...units.map((unit): [string, (text: string) => unknown] => [`in ${unit}`, (text) => countLength(text, unit)]),
    ['hashtags', findHashtags],
    ['mentions', findMentions],
    ['cashtags', findCashtags],
    ['links', findLinks],
  ]
  const { problems, check } = collectProblems()
  for (const seed of hostile) {
    for (const [name, measure] of measures) {
      const factor = growth((repetitions) => measure(`@a${seed.repeat(repetitions)}`))
      // 8 times, and up to twice as much because backtracks are rounded up.
      check(
        factor <= 16,
        true,
        `${name}: ${JSON.stringify(seed)} takes ${factor.toFixed(1)} times the steps, at most 16`,
      )
    }
  }
  t.strictSame(problems, [])
})

t.test('a text is measured once, however many accounts share it', async (t) => {
  const check = (accountCount: number) => {
    const accounts = Array.from({ length: accountCount }, (_, n) => ({
      id: `a${n}`,
      platform: 'x' as const,
      username: `u${n}`,
    }))
    const post = postFor(accounts, { caption: '👨‍👩‍👧‍👦 https://example.com/ '.repeat(1000) })
    t.equal(findViolations(post).length, accountCount)
  }
  const [one, ten] = [countSteps(() => check(1)), countSteps(() => check(10))]
  t.ok(ten < 1.1 * one, `${one} steps for one account, ${ten} for ten`)
})
