import { spawn, spawnSync } from 'node:child_process'
import { once as event } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { once } from '../../src/base/http/constant.ts'
import type { Teardown } from './database.ts'

export interface PythonCall {
  /** A method such as `posts.create`, or without a client a function of the module. */
  method: string
  client: { key: string; base_url: string; max_retries?: number; timeout?: number } | null
  args?: unknown[]
  kwargs?: object
  /** How many items of a list to return; without it, its first page. */
  take?: number
}

export interface PythonReply {
  result?: Record<string, unknown>
  /** The length of a file. */
  bytes?: number
  headers: Record<string, string>
  /** The class of the error. */
  error?: string
  message?: string
  status?: number
  code?: string | null
  retry_after?: number | null
  body?: unknown
}

/** Options of a test that needs Python. Without it, the test fails in CI and is skipped elsewhere. */
export const needsPython =
  process.env.CI || spawnSync('python3', ['--version']).status === 0 ? {} : { skip: 'no python3: install it' }

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Starts an interpreter, at the first call, that calls the Python client, one call at a time. */
export function startPython(t: Teardown): (call: PythonCall) => Promise<PythonReply> {
  const start = once(() => {
    const python = spawn('python3', [pathOf('../sdk/bridge.py')], {
      env: { ...process.env, PYTHONPATH: pathOf('../../src/clients/python'), PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.teardown(async () => {
      python.stdin.end()
      if (python.exitCode === null) await event(python, 'exit')
    })
    return { stdin: python.stdin, lines: createInterface({ input: python.stdout })[Symbol.asyncIterator]() }
  })
  let previous: Promise<unknown> = Promise.resolve()
  return (call) => {
    const reply = previous.then(async () => {
      const { stdin, lines } = start()
      stdin.write(`${JSON.stringify({ args: [], kwargs: {}, ...call })}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error(`python3 ended before the reply to ${call.method}`)
      const { headers, ...rest } = JSON.parse(value)
      return {
        ...rest,
        headers: Object.fromEntries(headers.map(([name, text]: [string, string]) => [name.toLowerCase(), text])),
      }
    })
    previous = reply.catch(() => {})
    return reply
  }
}
