import t from 'tap'
import * as operations from '../../schemas/operations/index.ts'
import { needsPython, type PythonReply, startPython } from '../helpers/python-client.ts'
import { CONTRACT_OPERATIONS, CONTRACT_TESTS, sendThroughClient, sent } from '../helpers/sdk-transport.ts'

const python = startPython(t)
const METHODS = new Map(
  Object.entries(operations as Record<string, { sdk?: string }>).map(([operationId, { sdk }]) => [
    operationId,
    sdk?.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ]),
)

// The tests of the contract's endpoints, which run by themselves with `inject`, once more through the Python client.
sendThroughClient(t, async ({ operationId, ids, parts, key, baseUrl }) => {
  // Python's None is no body.
  if (parts.body === null) return undefined
  const { idempotencyKey, ifMatch } = parts.options
  const { error, message, ...reply } = await python({
    method: METHODS.get(operationId)!,
    client: { key, base_url: baseUrl, max_retries: 0 },
    args: [...ids, ...(parts.body === undefined ? [] : [parts.body])],
    kwargs: {
      ...parts.query,
      ...(idempotencyKey && { idempotency_key: idempotencyKey }),
      ...(ifMatch && { if_match: ifMatch }),
    },
  })
  if (error && !reply.status) throw new Error(`${error}: ${message}`)
  return toReply(reply)
})

const toReply = ({ status, result, body, headers }: PythonReply) => ({ status: status!, body: result ?? body, headers })

if (needsPython.skip) t.plan(0, needsPython.skip)
else {
  for (const file of CONTRACT_TESTS) {
    // The query makes it a module of its own: the same file also runs by itself.
    await import(`../${file}.test.ts?python`)
  }
  t.test('their requests went through the Python client', async (t) => {
    for (const operation of CONTRACT_OPERATIONS) t.ok(sent[operation], operation)
  })
}
