import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { IMAGE } from '../../.ci/release-facts.ts'
import { VARIABLES } from '../../src/run/config/variables.ts'
import { isExecutable } from '../helpers/executable.ts'
import { memoryVariables } from '../helpers/memory.ts'
import { collectProblems } from '../helpers/problems.ts'

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

t.test('every variable that a deployment sets is one of the configuration, of Node or of glibc', async (t) => {
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
  const known = [...Object.keys(VARIABLES.properties), 'NODE_ENV', 'PATH', ...Object.keys(memoryVariables())]
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

/** Tested in test/faults/bodies/pictures.test.ts. */
const MEMORY_MIB = 768

t.test('each deployment limits memory, processes, sizes of files and core dumps', async (t) => {
  const { problems, check } = collectProblems()
  const fileBytes = VARIABLES.properties.MEDIA_MAX_BYTES.default
  for (const [name, service] of Object.entries<Yaml>(compose.services)) {
    check([service.ulimits.core, service.pids_limit > 0], [0, true], name)
    check(service.security_opt, ['no-new-privileges:true'], name)
    if (service.image !== 'postroom') continue
    check([service.mem_limit, service.cap_drop, service.read_only], [`${MEMORY_MIB}m`, ['ALL'], true], name)
    check(service.ulimits.fsize > fileBytes, true, `${name} may write files of MEDIA_MAX_BYTES`)
    for (const mount of service.tmpfs) check(/:size=\d+m$/.test(mount), true, `${name}: ${mount}`)
  }

  const settings = Object.fromEntries([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
  const expected = {
    MemoryMax: `${MEMORY_MIB}M`,
    TasksMax: '256',
    LimitCORE: '0',
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
    AmbientCapabilities: '',
    ProtectSystem: 'strict',
    PrivateTmp: 'yes',
  }
  for (const [name, value] of Object.entries(expected)) check(settings[name], value, `systemd: ${name}`)
  check(Number.parseInt(settings.LimitFSIZE, 10) * 2 ** 30 > fileBytes, true, 'systemd: LimitFSIZE')

  for (const { containers, volumes = [], ...pod } of [...podsOf('Deployment'), ...podsOf('Job')]) {
    const [{ name, resources, securityContext }] = containers
    check(resources.limits.memory, `${MEMORY_MIB}Mi`, name)
    check([securityContext.allowPrivilegeEscalation, securityContext.capabilities], [false, { drop: ['ALL'] }], name)
    check([pod.automountServiceAccountToken, pod.enableServiceLinks], [false, false], name)
    check(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' }, name)
    for (const { name: of, emptyDir, ephemeral } of volumes) {
      // Its limit evicts the pod, so uploads are on a volume that can be full.
      if (of === 'media') check(typeof ephemeral.volumeClaimTemplate.spec.resources.requests.storage, 'string', name)
      else check(typeof emptyDir.sizeLimit, 'string', `${name}: ${of}`)
    }
  }
  t.strictSame(problems, [])
})

t.test('Kubernetes: no pod reaches the metadata of a cloud, and all reach networks and a database', async (t) => {
  const [{ spec }] = ofKind('NetworkPolicy')
  t.strictSame([spec.podSelector, spec.policyTypes], [{ matchLabels: { app: 'postroom' } }, ['Egress']])
  for (const { spec: workload } of [...ofKind('Deployment'), ...ofKind('Job')]) {
    t.equal(workload.template.metadata.labels.app, 'postroom')
  }
  const blocks: Yaml[] = spec.egress.flatMap(({ to = [] }: Yaml) => to.flatMap(({ ipBlock }: Yaml) => ipBlock ?? []))
  const isIn = (address: string, range: string) => {
    const ip = ipaddr.parse(address)
    const cidr = ipaddr.parseCIDR(range)
    return ip.kind() === cidr[0].kind() && ip.match(cidr)
  }
  const isReached = (address: string) =>
    blocks.some(({ cidr, except }) => isIn(address, cidr) && !except.some((range: string) => isIn(address, range)))
  const metadata = [
    ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
    ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fe80::1', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1'],
  ]
  t.strictSame(metadata.filter(isReached), [])
  const others = ['10.96.0.10', '192.168.1.5', '140.82.121.4', 'fd12:3456::1', '2606:4700::1111']
  t.strictSame(others.filter(isReached), others)
})

t.test('images and actions are pinned by digest', async (t) => {
  const workflows = readdirSync('.github/workflows').map((name) => readFileSync(`.github/workflows/${name}`, 'utf8'))
  const images = [
    ...[...image.matchAll(/^ARG \w+_IMAGE=(.+)$/gm)].map(([, name]) => name!),
    ...Object.values<Yaml>(compose.services).map((service) => service.image),
    ...workflows.flatMap((text) => [...text.matchAll(/^ +image: (.+)$/gm)].map(([, name]) => name!)),
  ]
  const ours = images.filter((name) => name === 'postroom')
  t.strictSame(
    images.filter((name) => !/@sha256:[\da-f]{64}$/.test(name)),
    ours,
  )
  const actions = workflows.flatMap((text) => [...text.matchAll(/\buses: (\S+)/g)].map(([, name]) => name!))
  t.ok(actions.length > 0)
  t.strictSame(
    actions.filter((name) => !/@[\da-f]{40}$/.test(name)),
    [],
  )
})

t.test('workflows read the repository, and write nothing, but for releases, which only tags start', async (t) => {
  for (const name of readdirSync('.github/workflows')) {
    const { on, permissions, jobs } = parse(readFileSync(`.github/workflows/${name}`, 'utf8'))
    t.notOk('pull_request_target' in on, name)
    t.strictSame(permissions, { contents: 'read' }, name)
    if (name === 'release.yml') t.strictSame(on, { push: { tags: ['v*.*.*'] } })
    else for (const job of Object.values<Yaml>(jobs)) t.equal(job.permissions, undefined, name)
    for (const { container } of Object.values<Yaml>(jobs)) {
      const options = container?.options ?? ''
      if (options.includes('--privileged')) t.match(options, "github.event_name != 'pull_request' &&", name)
    }
  }
})

t.test(
  'the chart with its values is what kubernetes.yaml has, and the migration ends before pods change',
  async (t) => {
    const values = parse(read('chart/values.yaml'))
    const evaluate = (expression: string) => {
      const [path = '', ...filters] = expression.split(' | ')
      const value = path.split('.').reduce((object, name) => (name ? object[name] : object), {
        Values: values,
        Release: { Name: 'postroom' },
      } as Yaml)
      return filters.includes('toJson') ? JSON.stringify(value) : String(value)
    }
    const rendered = read('chart/templates/postroom.yaml').replaceAll(/\{\{ (.+?) \}\}/g, (_, text) => evaluate(text))
    const objects: Yaml[] = parseAllDocuments(rendered).map((document) => document.toJS({}))
    const hooks = objects.flatMap(({ kind, metadata }) => {
      const { annotations } = metadata
      delete metadata.annotations
      return annotations ? [[kind, annotations['helm.sh/hook'], annotations['helm.sh/hook-weight']]] : []
    })
    t.strictSame(objects, kubernetes)
    t.strictSame(hooks, [
      ['Secret', 'pre-install,pre-upgrade', '-1'],
      ['Job', 'pre-install,pre-upgrade', '0'],
    ])
  },
)

t.test('templates pull the released image, and set variables of the configuration', async (t) => {
  const { services }: Yaml = parse(read('templates/render.yaml'))
  const dokploy: Yaml = JSON.parse(read('templates/dokploy.json'))
  const railway = read('templates/railway.ts')
  const composed = [read('templates/compose.yaml'), read('templates/coolify.yaml'), dokploy.compose]
  const ours = composed.flatMap((text) =>
    Object.values<Yaml>(parse(text, { merge: true }).services).filter(({ image }) => !image.includes('postgres')),
  )
  const images = [...ours.map(({ image }) => image), services[0].image.url, /image\('(.+)'\)/.exec(railway)![1]]
  t.strictSame(
    new Set([...images, ...podsOf('Deployment').map(({ containers }) => containers[0].image)]),
    new Set([IMAGE]),
  )
  t.ok(readFileSync('README.md', 'utf8').includes(` ${IMAGE} start`))
  const set = [
    ...ours.flatMap(({ environment }) => Object.keys(environment)),
    ...services[0].envVars.map(({ key }: Yaml) => key),
    ...[...railway.matchAll(/^ {6}([A-Z_\d]+):/gm)].map(([, name]) => name),
  ]
  const unknown = set.filter((name) => !(name in VARIABLES.properties) && !name.startsWith('SERVICE_URL_'))
  t.strictSame(unknown, [])
})
