import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Teardown } from '../../helpers/database.ts'

/** A request, with its body as text. */
export interface Message {
  method: string
  path: string
  body: string
  headers: Record<string, string>
  key?: string
}

/**
 * Returns a function that sends a request and resolves to its status, or to 0 if the connection ends. A thread of its
 * own sends them one by one, so that the thread of the service does nothing else.
 */
export function startClient(t: Teardown, port: number): (message: Message) => Promise<number> {
  const client = new Worker(new URL('./client-thread.ts', import.meta.url), { workerData: port, execArgv: [] })
  t.teardown(() => client.terminate())
  return async (message) => {
    client.postMessage(message)
    return (await once(client, 'message'))[0]
  }
}
