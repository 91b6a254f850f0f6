import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { writePackage } from '../../../.ci/n8n-package.ts'
import { createFolder } from '../../helpers/app.ts'
import { copyDatabase } from '../../helpers/database.ts'
import { freePorts } from '../../helpers/ports.ts'
import { until } from '../../helpers/until.ts'

const require = createRequire(import.meta.url)
const PROGRAM = join(dirname(require.resolve('n8n/package.json')), 'bin/n8n')
const OWNER = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', password: 'Lighthouse-1815' }
/** It creates its tables with hundreds of migrations. */
const START_TIMEOUT_MS = 300_000

export interface Node {
  name: string
  type: string
  parameters: Record<string, unknown>
}

export interface Workflow {
  name: string
  nodes: Node[]
  connections: Record<string, unknown>
  settings?: Record<string, unknown>
}

/** An execution, with the items of each node. */
interface Execution {
  id: string
  status: string
  mode: string
  error?: { message: string }
  itemsOf(node: string): Record<string, unknown>[]
}

/** Starts n8n with the packed nodes, on a database of its own, and signs in as its owner. */
export async function startN8n(t: Test) {
  const folder = await createFolder(t)
  const nodes = join(folder, '.n8n/nodes/node_modules/n8n-nodes-postroom')
  mkdirSync(nodes, { recursive: true })
  // n8n unpacks packages in this way.
  execFileSync('tar', ['-xzf', writePackage(folder), '-C', nodes, '--strip-components=1'])
  const [port] = await freePorts(1)
  const origin = `http://127.0.0.1:${port}`
  await start(t, origin, { HOME: folder, N8N_USER_FOLDER: folder, ...(await databaseOf(t)) })
  const call = openSession(origin)
  await until('n8n has an owner', () =>
    call('POST', '/owner/setup', OWNER).then(
      () => true,
      () => false,
    ),
  )

  const executionsOf = async (workflowId: string): Promise<{ id: string; status: string; mode: string }[]> => {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }))
    return (await call('GET', `/executions?filter=${filter}&limit=100`)).results
  }
  const readExecution = async (id: string): Promise<Execution> => {
    const { data, ...execution } = await call('GET', `/executions/${id}`)
    const { resultData } = require('flatted').parse(data)
    const itemsOf = (node: string) =>
      resultData.runData[node].at(-1).data.main[0].map(({ json }: { json: object }) => json)
    return { ...execution, error: resultData.error, itemsOf }
  }
  const run = async ({ id, nodes }: { id: string; nodes: Node[] }, last = nodes.at(-1)!.name): Promise<Execution> => {
    const { executionId } = await call('POST', `/workflows/${id}/run`, {
      triggerToStartFrom: { name: nodes[0]!.name },
      destinationNode: { nodeName: last, mode: 'inclusive' },
    })
    await until('the execution ends', () => executionsOf(id), {
      isMet: (executions) =>
        executions.some((each) => each.id === executionId && !['new', 'running', 'waiting'].includes(each.status)),
      timeoutMs: 120_000,
      intervalMs: 200,
    })
    return readExecution(executionId)
  }
  return { origin, call, run, executionsOf, readExecution }
}

/** The server of the tests: n8n then needs no compiled SQLite. */
async function databaseOf(t: Test): Promise<Record<string, string>> {
  const url = new URL(await copyDatabase(t, 'template0'))
  return {
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: url.searchParams.get('host') ?? url.hostname,
    DB_POSTGRESDB_PORT: url.port || '5432',
    DB_POSTGRESDB_DATABASE: url.pathname.slice(1),
    DB_POSTGRESDB_USER: url.username,
    DB_POSTGRESDB_PASSWORD: url.password,
  }
}

async function start(t: Test, origin: string, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'start'], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      ...env,
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_PORT: new URL(origin).port,
      WEBHOOK_URL: origin,
      N8N_SECURE_COOKIE: 'false',
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_TEMPLATES_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      GENERIC_TIMEZONE: 'Europe/Berlin',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const exit = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`n8n has exited: ${output}`)
    return fetch(`${origin}/healthz/readiness`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  await until('n8n is ready', isReady, { timeoutMs: START_TIMEOUT_MS, intervalMs: 250 })
}

/** Calls the interface that the page of n8n uses. */
function openSession(origin: string) {
  let cookie = ''
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${origin}/rest${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'browser-id': 'test', cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return JSON.parse(text).data
  }
}
