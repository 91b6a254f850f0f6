import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { Order } from './run.ts'

// Lives one day. It has a thread of its own, because modules keep ids, sessions and limits for as long as they live.

enableCompileCache('node_modules/.cache/node')
const { simulate } = await import('./day.ts')
const { seed, faults, postgres } = workerData as Order & { postgres: object }
parentPort!.postMessage(await simulate({ seed, faults: faults && new Set(faults) }, postgres))
