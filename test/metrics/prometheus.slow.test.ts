import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { createFolder } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { isExecutable } from '../helpers/executable.ts'
import { freePorts } from '../helpers/ports.ts'
import { endChild } from '../helpers/processes.ts'
import { until } from '../helpers/until.ts'

const ALERTS = '.docker/prometheus/alerts.yml'
const DASHBOARD = '.docker/grafana/postroom.json'

const options =
  isExecutable('/usr/bin/prometheus') || process.env.CI
    ? {}
    : { skip: 'no Prometheus (Debian: apt-get install --no-install-recommends prometheus)' }

interface Panel {
  targets?: { expr: string }[]
}

/**
 * The parts of responses of Prometheus that the tests read: https://prometheus.io/docs/prometheus/2.42/querying/api/
 */
interface Data {
  activeTargets: { health: string }[]
  groups: { rules: { name: string; health: string }[] }[]
  result: { value: [time: number, value: string] }[]
}

/** The expressions of the dashboard, with a fixed range in place of Grafana's variable. */
const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: Panel[] }
const expressions = panels
  .flatMap(({ targets = [] }) => targets)
  .map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'))

/** Runs `promtool`. Returns its output if it fails. */
function promtool(args: string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', ...(input && { input }) })
  return status === 0 ? '' : `${stdout}${stderr}`
}

/** Starts `serve` and `worker` on one database. Returns the addresses of their metrics. */
async function startProcesses(t: Test): Promise<string[]> {
  const env = {
    DATABASE_URL: await createDatabase(t),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    MEDIA_DIR: await createFolder(t),
  }
  const serve = await runService('serve', env)
  t.teardown(() => serve.stop())
  const worker = await runService('worker', { ...env, METRICS_PORT: '0' })
  t.teardown(() => worker.stop())
  return [new URL(serve.facts.api!).origin, new URL(worker.facts.metrics!).origin]
}

/** Starts Prometheus with the alerts. Returns a function that calls its API. */
async function startPrometheus(t: Test, targets: string[]) {
  const folder = await createFolder(t)
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [resolve(ALERTS)],
    scrape_configs: [{ job_name: 'postroom', static_configs: [{ targets: targets.map((url) => new URL(url).host) }] }],
  }
  // YAML includes JSON.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const [port] = await freePorts(1)
  const child = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  t.teardown(() => endChild(child, 'SIGTERM'))
  return async (path: string, query: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(query)}`)
    return (await response.json()) as { status: string; data: Data }
  }
}

t.test('the alerts are valid, and fire when they should', options, async (t) => {
  t.equal(promtool(['check', 'rules', ALERTS]), '')
  t.equal(promtool(['check', 'config', '.docker/prometheus/prometheus.yml']), '')
  t.equal(promtool(['test', 'rules', 'test/metrics/alerts.yml']), '')
})

t.test('Prometheus scrapes serve and worker, and evaluates the alerts and the dashboard', options, async (t) => {
  const origins = await startProcesses(t)
  const texts = await Promise.all(origins.map(async (origin) => (await fetch(`${origin}/metrics`)).text()))
  const own = texts.map((text) => text.split('\n\n').filter((metric) => metric.startsWith('# HELP postroom_')))
  for (const metrics of own) t.equal(promtool(['check', 'metrics'], `${metrics.join('\n')}\n`), '')

  const exposed = new Set(texts.join('\n').match(/(?<=^# TYPE )\w+/gm))
  const named = `${readFileSync(ALERTS, 'utf8')}${expressions.join('\n')}`.match(/\b(?:postroom|nodejs|process)_\w+/g)!
  const missing = named.filter((name) => !exposed.has(name) && !exposed.has(name.replace(/_(?:bucket|count|sum)$/, '')))
  t.strictSame(missing, [], 'every metric that the alerts and the dashboard name exists')

  const api = await startPrometheus(t, origins)
  const call = (...args: Parameters<typeof api>) => api(...args).catch(() => undefined)
  await until(
    'both processes are scraped',
    async () => (await call('targets'))?.data.activeTargets.map(({ health }) => health),
    { isMet: (healths) => healths?.length === 2 && healths.every((health) => health === 'up') },
  )
  await until(
    'every alert is evaluated',
    async () => (await call('rules'))?.data.groups.flatMap(({ rules }) => rules),
    { isMet: (rules = []) => rules.length > 0 && rules.every(({ health }) => health === 'ok') },
  )
  for (const expr of expressions) t.hasStrict(await api('query', { query: expr }), { status: 'success' }, expr)
  const { data } = await api('query', { query: 'count(postroom_info)' })
  t.equal(data.result[0]!.value[1], '2')
})
