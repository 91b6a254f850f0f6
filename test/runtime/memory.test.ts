import { getHeapStatistics } from 'node:v8'
import t from 'tap'
import { releaseMemoryWhenIdle, warnOfMemory } from '../../src/run/runtime/memory.ts'
import { until } from '../helpers/until.ts'

const readHeapBytes = () => getHeapStatistics().total_heap_size

t.test('an idle process returns the memory of a burst', async (t) => {
  const restBytes = readHeapBytes()
  const { stop } = releaseMemoryWhenIdle()
  t.teardown(stop)
  let burst: object[] | undefined = []
  while (readHeapBytes() < 2 * restBytes) burst.push(Array.from({ length: 100_000 }, (_, number) => ({ number })))
  const burstBytes = readHeapBytes()
  t.ok(burst.length > 0)
  burst = undefined
  await until('the heap has shrunk', readHeapBytes, { isMet: (bytes) => bytes < (restBytes + burstBytes) / 2 })
})

t.test('a worker that may use too little memory to convert videos says so', async (t) => {
  const warnings: object[] = []
  const log = { warn: (facts: object) => void warnings.push(facts) }
  for (const limitBytes of [0, 512 * 2 ** 20, 1.25 * 2 ** 30, 2 ** 63]) warnOfMemory(log, limitBytes)
  t.strictSame(warnings, [{ limitBytes: 512 * 2 ** 20 }])
})
