import fc from 'fast-check'
import t from 'tap'
import { json } from '../../helpers/document.ts'
import { createCaller, createFuzzWorld } from './caller.ts'
import { operations, type Planned, requestsOf, wrongBodies } from './requests.ts'
import { hold, SEED } from './seed.ts'

const RUNS = 150
t.comment(`SEED=${SEED}`)

const shown = ({ operation, what, params, query, headers, body }: Planned) =>
  JSON.stringify({ operation: operation.operationId, what, params, query, headers, body: body?.toString('utf8') })

const world = await createFuzzWorld(t)

for (const operation of operations) {
  t.test(`${operation.operationId}: what is right is taken, what is wrong is refused where it is wrong`, async (t) => {
    const { send } = await createCaller(world)
    const statuses = new Set<number>()
    const property = fc.asyncProperty(requestsOf(operation), async (make) => {
      const planned = await make()
      const { answer, problem } = await send(planned)
      statuses.add(answer.statusCode)
      if (problem) throw new Error(`${shown(planned)}\n${problem}`)
    })
    await hold(property, { numRuns: RUNS })
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
