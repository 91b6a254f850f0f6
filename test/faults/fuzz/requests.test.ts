import t from 'tap'
import { json } from '../../helpers/document.ts'
import { type Body, invalidBodies } from './bodies.ts'
import { createCaller, createFuzzWorld, responsesAreRight } from './caller.ts'
import { operations, requestsOf } from './requests.ts'
import { hold, SEED } from './seed.ts'

const RUNS = 150
t.comment(`SEED=${SEED}`)

/**
 * An app is connected by a person in a browser. Nothing is published here that could be checked, edited or removed.
 * Users whose accounts are on other networks have no clock.
 */
const CANNOT_SUCCEED = [
  'disconnectApp',
  'checkDelivery',
  'editDelivery',
  'removeDelivery',
  'removePost',
  'putSandboxClock',
]

const world = await createFuzzWorld(t)

for (const operation of operations) {
  t.test(`${operation.operationId} accepts valid requests, and names the error of invalid ones`, async (t) => {
    const caller = await createCaller(world)
    const statuses = new Set<number>()
    const property = responsesAreRight(caller, requestsOf(operation), ({ statusCode }) => statuses.add(statusCode))
    await hold(property, { numRuns: RUNS })
    t.ok(
      CANNOT_SUCCEED.includes(operation.operationId) || [...statuses].some((status) => status < 300),
      `some succeed; statuses: ${[...statuses].sort()}`,
    )
  })
}

t.test('each error in the examples of the document is reported with its path', async (t) => {
  const { send } = await createCaller(world)
  let count = 0
  for (const operation of operations.filter(({ requestBody }) => requestBody?.content['application/json'])) {
    const params = Object.fromEntries((operation.parameters ?? []).map(({ name, example }) => [name, String(example)]))
    for (const [name, { value }] of Object.entries(json(operation.requestBody!).examples)) {
      for (const { what, make } of invalidBodies(operation, value as Body)) {
        const made = make()
        if (made.expected === 'valid') continue
        const { problem } = await send({ operation, params, query: [], ...made })
        if (problem) t.fail(`${operation.operationId}, ${name}, ${what}: ${problem}`)
        count++
      }
    }
  }
  t.ok(count > 500, `${count} errors`)
})
