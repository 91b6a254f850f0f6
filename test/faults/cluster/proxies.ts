import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { SUPERUSER } from './postgres.ts'
import { haproxy, OWNER, pgbouncer, start } from './programs.ts'

interface Pooler {
  port: number
  folder: string
  password: string
}

/**
 * Writes the configuration of PgBouncer in transaction mode for the server at `primaryPort`, and returns its path.
 * While the database is away, PgBouncer retries every 100 ms.
 */
function configurePooler({ port, folder, password }: Pooler, primaryPort: number): string {
  const users = join(folder, 'users.txt')
  writeFileSync(users, ['postroom', SUPERUSER].map((user) => `"${user}" "${password}"\n`).join(''), { mode: 0o600 })
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
postroom = host=127.0.0.1 port=${primaryPort} dbname=postroom
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
admin_users = ${SUPERUSER}
pool_mode = transaction
default_pool_size = 20
max_client_conn = 200
server_login_retry = 0.1
server_connect_timeout = 2
query_wait_timeout = 5
`,
    { mode: 0o600 },
  )
  if (OWNER !== undefined) for (const path of [users, file]) chownSync(path, OWNER, OWNER)
  return file
}

export const startPooler = (pooler: Pooler, primaryPort: number) =>
  start([pgbouncer!, configurePooler(pooler, primaryPort)], join(pooler.folder, 'pgbouncer.log'), {
    unprivileged: true,
  })

/** Leads PgBouncer to another primary, and drops its connections to the old one. */
export async function repoint(pooler: Pooler, primaryPort: number): Promise<void> {
  configurePooler(pooler, primaryPort)
  const { port, password } = pooler
  const console = new pg.Client({ host: '127.0.0.1', port, user: SUPERUSER, password, database: 'pgbouncer' })
  await console.connect()
  await console.query('RELOAD')
  await console.query('RECONNECT postroom')
  await console.end()
}

/**
 * Starts HAProxy in front of the API. Its health check is /healthz, not /readyz: without a database or a worker,
 * /readyz is 503 for every process, and none would be left to answer. It sends a request to another process only if it
 * could not connect, because the request may have been carried out otherwise. Its own errors are JSON too.
 */
export function startBalancer(folder: string, port: number, apiPorts: number[]) {
  const file = join(folder, 'haproxy.cfg')
  const error = (status: number, message: string) =>
    `  http-error status ${status} content-type application/json string '{"error":"${message}"}'`
  writeFileSync(
    file,
    `global
  maxconn 1000
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 30s
  retries 3
  option redispatch 1
  option httpchk GET /healthz
${error(502, 'Bad gateway')}
${error(503, 'Service unavailable')}
${error(504, 'Gateway timeout')}
frontend api
  bind 127.0.0.1:${port}
  default_backend api
backend api
  balance roundrobin
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${apiPorts.map((apiPort, number) => `  server api${number} 127.0.0.1:${apiPort}`).join('\n')}
`,
    { mode: 0o644 },
  )
  return start([haproxy!, '-db', '-f', file], join(folder, 'haproxy.log'), { unprivileged: true })
}
