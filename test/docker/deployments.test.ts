import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { VARIABLES } from '../../src/config/variables.ts'
import { isExecutable } from '../helpers/executable.ts'

// biome-ignore lint/suspicious/noExplicitAny: files of many shapes
type Yaml = any

const read = (name: string) => readFileSync(`.docker/${name}`, 'utf8')
const image = read('Dockerfile')
const compose: Yaml = parse(read('compose.yaml'), { merge: true })
const unit = read('systemd/postroom@.service')
const kubernetes: Yaml[] = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS({}))
const ofKind = (kind: string): Yaml[] => kubernetes.filter((object) => object.kind === kind)
const podsOf = (kind: string): Yaml[] => ofKind(kind).map(({ spec }) => spec.template.spec)

/** The whole shutdown of a process takes at most ten seconds. */
const SHUTDOWN_SECONDS = 10

t.test('every variable that a deployment sets is one of the configuration', async (t) => {
  const pods = [...podsOf('Deployment'), ...podsOf('Job')]
  const set = {
    image: [...image.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs]) => pairs!.match(/\w+(?==)/g)!),
    compose: Object.values<Yaml>(compose.services)
      .filter((service) => service.image === 'postroom')
      .flatMap(({ environment }) => Object.keys(environment)),
    systemd: [...unit.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name!),
    kubernetes: [
      ...ofKind('Secret').flatMap(({ stringData }) => Object.keys(stringData)),
      ...pods.flatMap(({ containers }) => containers[0].env ?? []).map(({ name }) => name),
    ],
  }
  const known = [...Object.keys(VARIABLES.properties), 'NODE_ENV', 'PATH']
  for (const [file, names] of Object.entries(set)) {
    t.ok(names.length > 0, file)
    t.strictSame(
      names.filter((name) => !known.includes(name)),
      [],
      file,
    )
  }
})

t.test('compose names the secrets that it needs, and starts processes after the migration', async (t) => {
  for (const name of ['CREDENTIALS_KEY', 'POSTGRES_PASSWORD']) t.match(read('compose.yaml'), `\${${name}:?Set it in`)
  for (const name of ['serve', 'worker']) {
    const { command, depends_on, read_only, restart, stop_grace_period } = compose.services[name]
    t.strictSame(command, [name])
    t.strictSame(depends_on, { migrate: { condition: 'service_completed_successfully' } })
    t.strictSame([read_only, restart], [true, 'unless-stopped'])
    t.ok(Number.parseInt(stop_grace_period, 10) > SHUTDOWN_SECONDS)
  }
})

t.test('systemd accepts the unit, and waits for the shutdown of a process', async (t) => {
  t.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > SHUTDOWN_SECONDS)
  const skip = !isExecutable('/usr/bin/systemd-analyze') && 'needs systemd'
  t.test('systemd-analyze verify', { skip }, async (t) => {
    const line = ['verify', '--man=no', '.docker/systemd/postroom@.service']
    const { status, stderr } = spawnSync('systemd-analyze', line, { encoding: 'utf8' })
    t.strictSame([status, stderr], [0, ''])
  })
})

t.test('Kubernetes: names refer to objects and ports that exist', async (t) => {
  const secrets = ofKind('Secret').map(({ metadata }) => metadata.name)
  for (const { containers, securityContext, volumes = [] } of [...podsOf('Deployment'), ...podsOf('Job')]) {
    const [{ envFrom, ports = [], volumeMounts = [], securityContext: own, ...container }] = containers
    t.ok(secrets.includes(envFrom[0].secretRef.name))
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].flatMap((name) => container[name] ?? [])
    for (const { httpGet } of probes) t.ok(ports.some((port: Yaml) => port.name === httpGet.port))
    for (const { name } of volumeMounts) t.ok(volumes.some((volume: Yaml) => volume.name === name))
    t.strictSame([securityContext.runAsNonRoot, own.readOnlyRootFilesystem], [true, true])
  }
  const [serve] = ofKind('Deployment')
  for (const { spec, metadata } of ofKind('Deployment')) {
    t.strictSame(spec.selector.matchLabels, spec.template.metadata.labels, metadata.name)
  }
  t.strictSame(ofKind('Service')[0].spec.selector, serve.spec.selector.matchLabels)
  t.strictSame(ofKind('PodDisruptionBudget')[0].spec.selector, serve.spec.selector)
})

t.test('Kubernetes: no probe depends on the database, and pods have time to finish requests', async (t) => {
  const [{ containers, terminationGracePeriodSeconds }] = podsOf('Deployment')
  const [{ startupProbe, readinessProbe, livenessProbe, lifecycle, ports }] = containers
  for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) t.equal(httpGet.path, '/healthz')
  const delayMs = Number(/(\d+)\)$/.exec(lifecycle.preStop.exec.command.at(-1))?.[1])
  t.ok(terminationGracePeriodSeconds > delayMs / 1_000 + SHUTDOWN_SECONDS)
  t.equal(ports[0].containerPort, VARIABLES.properties.PORT.default)
})
