import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runService, type Service } from '../../helpers/command.ts'
import { createDatabase, type Teardown } from '../../helpers/database.ts'
import { startNginx } from '../../helpers/nginx.ts'
import { freePorts } from '../../helpers/ports.ts'
import { endChild } from '../../helpers/processes.ts'
import { until } from '../../helpers/until.ts'
import { createPerson, runClient, send } from './client.ts'

export interface Restarts {
  /** How many responses clients got, by method and status, or by the error of a broken connection. */
  responses: Record<string, number>
  /** Violations of what the soak expects. */
  breaches: string[]
}

const CLIENTS = 4

/** src/run/runtime/README.md shows these settings to operators. */
const settings = (port: number, apiPorts: number[]) => `
upstream postroom {
  zone postroom 64k;
  keepalive 16;
${apiPorts.map((apiPort) => `  server 127.0.0.1:${apiPort} max_fails=1 fail_timeout=1s;`).join('\n')}
}
server {
  listen 127.0.0.1:${port};
  location / {
    proxy_pass http://postroom;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_request_buffering off;
    client_max_body_size 0;
  }
}`

/** Restarts two processes of the API behind nginx in turn, `count` times in all, while four clients read and write. */
export async function runRestarts(t: Teardown, count: number): Promise<Restarts> {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-restarts-'))
  chmodSync(folder, 0o755)
  t.teardown(async () => rmSync(folder, { recursive: true, force: true }))
  const env = { DATABASE_URL: await createDatabase(t), CREDENTIALS_KEY: randomBytes(32).toString('base64') }
  const person = await createPerson(env.DATABASE_URL)
  const [port, ...apiPorts] = (await freePorts(3)) as [number, number, number]
  const startApi = (apiPort: number) => runService('serve', { ...env, PORT: String(apiPort), LOG_LEVEL: 'warn' })
  const services = await Promise.all(apiPorts.map(startApi))
  t.teardown(() => Promise.all(services.map((service) => service.stop('SIGKILL'))))
  const nginx = startNginx(folder, settings(port, apiPorts))
  // Killed, it would leave its worker processes.
  t.teardown(() => endChild(nginx, 'SIGTERM'))
  await until('nginx responds', () => send(port, person, 'GET').then(isRead, () => false))

  const result: Restarts = { responses: {}, breaches: [] }
  const stop = new AbortController()
  const clients = Array.from({ length: CLIENTS }, () => runClient(port, person, result, stop.signal))
  for (let number = 0; number < count; number++) {
    const index = number % apiPorts.length
    const code = await restart(services, index, () => startApi(apiPorts[index]!))
    if (code !== 0) result.breaches.push(`A process ended with ${code}`)
  }
  stop.abort()
  await Promise.all(clients)
  if (result.breaches.length > 0) result.breaches.push(...errorsOf(join(folder, 'nginx.log')))
  return result
}

const isRead = ({ status }: { status: number }) => status === 200

/** Returns the exit code of the process that was stopped. */
async function restart(services: Service[], index: number, start: () => Promise<Service>): Promise<number | null> {
  const code = await services[index]!.stop('SIGTERM')
  services[index] = await start()
  return code
}

/** The last errors in the log of nginx. A refused connection is not counted: nginx then tries the other process. */
const errorsOf = (log: string): string[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('[error]') && !line.includes('Connection refused'))
    .slice(-20)
