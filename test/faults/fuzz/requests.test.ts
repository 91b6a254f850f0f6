import type { LightMyRequestResponse as Answer } from 'fastify'
import t from 'tap'
import { json } from '../../helpers/document.ts'
import { createCaller, createFuzzWorld, holdsFor } from './caller.ts'
import { operations, requestsOf, wrongBodies } from './requests.ts'
import { hold, SEED } from './seed.ts'

const RUNS = 150
t.comment(`SEED=${SEED}`)

const world = await createFuzzWorld(t)

for (const operation of operations) {
  t.test(`${operation.operationId}: what is right is taken, what is wrong is refused where it is wrong`, async (t) => {
    const caller = await createCaller(world)
    const statuses = new Set<number>()
    const answered = ({ statusCode }: Answer) => statuses.add(statusCode)
    await hold(holdsFor(caller, requestsOf(operation), answered), { numRuns: RUNS })
    t.ok(
      [...statuses].some((status) => status < 300),
      `some are carried out, of ${[...statuses].sort()}`,
    )
  })
}

t.test('each mistake in the examples of the document is refused where it is', async (t) => {
  const { send } = await createCaller(world)
  let count = 0
  for (const operation of operations.filter(({ requestBody }) => requestBody?.content['application/json'])) {
    const params = Object.fromEntries((operation.parameters ?? []).map(({ name, example }) => [name, String(example)]))
    for (const [name, { value }] of Object.entries(json(operation.requestBody!).examples)) {
      for (const { what, make } of wrongBodies(operation, value as never)) {
        const made = make()
        if (made.expected === 'taken') continue
        const planned = { operation, params, query: [], ...made }
        const { problem } = await send(planned)
        if (problem) t.fail(`${operation.operationId}, ${name}, ${what}: ${problem}`)
        count++
      }
    }
  }
  t.comment(`${count} mistakes`)
  t.ok(count > 500)
})
