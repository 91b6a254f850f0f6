import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { VERSION } from '../../.ci/release-facts.ts'

// biome-ignore lint/suspicious/noExplicitAny: files of many shapes
type Yaml = any

const { jobs }: Yaml = parse(readFileSync('.github/workflows/release.yml', 'utf8'))
const stepsOf = (name: string): Yaml[] => jobs[name].steps
const steps = Object.keys(jobs).flatMap(stepsOf)
const TAG = `v${VERSION}`

/** Programs that reach other machines. Each call is a line of the log. */
const STUBS: Record<string, string> = {
  gh: 'case "$*" in "run list"*) echo "$CI_RUNS" ;; "release view"*) exit 1 ;; esac',
  make: 'for name in npm n8n; do mkdir -p dist/$name; echo "{\\"name\\":\\"$name\\",\\"version\\":\\"1\\"}" > dist/$name/package.json; done',
  npm: 'case "$1" in view) exit 1 ;; pack) touch dist/packages/postroom-1.tgz dist/packages/n8n-nodes-postroom-1.tgz ;; esac',
  helm: 'case "$1" in package) touch dist/release/postroom-1.tgz ;; esac',
  skopeo: 'printf the-digest > dist/digest',
  cosign: '',
  curl: '',
  sha256sum: 'cat > /dev/null',
  tar: 'case "$*" in *package.json) echo "{\\"name\\":\\"x\\",\\"version\\":\\"1\\"}"; exit ;; esac; printf "#!/bin/sh\\necho mcp-publisher \\"\\$@\\" >> \\"\\$LOG\\"\\n" > mcp-publisher; chmod +x mcp-publisher',
}

function createScene(
  t: Test,
  { changelog = `## ${VERSION} - 2026-12-01\n\n### Added\n\n- [Docs](../src/a.md#b)\n` } = {},
) {
  const folder = t.testdir({ bin: {}, outputs: '', log: '' })
  for (const name of ['.ci', '.docker', 'src', 'schemas', 'db', 'test', 'node_modules', 'package.json']) {
    symlinkSync(resolve(name), join(folder, name))
  }
  mkdirSync(join(folder, '.github'))
  writeFileSync(join(folder, '.github/CHANGELOG.md'), changelog)
  for (const [name, script] of Object.entries(STUBS)) {
    const path = join(folder, 'bin', name)
    writeFileSync(path, `#!/bin/sh\necho ${name} "$@" >> "$LOG"\n${script}\n`, { mode: 0o755 })
  }
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    LOG: join(folder, 'log'),
    GITHUB_OUTPUT: join(folder, 'outputs'),
    GITHUB_REPOSITORY: 'Ada/Postroom',
    GITHUB_REF_NAME: TAG,
    GITHUB_SHA: 'abc',
    CI_RUNS: '1',
  }
  /** Runs the shell steps of all jobs in their order, as runners do, until one fails. */
  const run = (facts: Record<string, string> = {}) => {
    const shellSteps = Object.values<Yaml>(jobs).flatMap((job) =>
      job.steps.filter(({ run }: Yaml) => run).map((step: Yaml) => ({ ...step, env: { ...job.env, ...step.env } })),
    )
    for (const step of shellSteps) {
      const outputs = Object.fromEntries(
        readFileSync(env.GITHUB_OUTPUT, 'utf8')
          .split('\n')
          .map((line) => line.split('=')),
      )
      const values = Object.entries<string>(step.env).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{\{ (?:\w+\.)+(\w+) \}\}/g, (_, output) => outputs[output] ?? `the-${output}`),
      ])
      const cwd = join(folder, step['working-directory'] ?? '')
      const line = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run]
      const options = { cwd, encoding: 'utf8', env: { ...env, ...Object.fromEntries(values), ...facts } } as const
      const { status, stderr } = spawnSync('bash', line, options)
      if (status !== 0) return { failed: step.name, stderr }
    }
    return { failed: undefined, stderr: '' }
  }
  const log = () => readFileSync(env.LOG, 'utf8').trim().split('\n')
  const read = (path: string) => readFileSync(join(folder, 'dist', path), 'utf8')
  return { folder, run, log, read }
}

t.test('the steps publish the image, the chart, the packages and the release of this repository', async (t) => {
  const { folder, run, log, read } = createScene(t)
  t.strictSame(run(), { failed: undefined, stderr: '' })
  const image = `ghcr.io/ada/postroom:${VERSION}`
  const calls = log()
  for (const call of [
    `cosign sign --yes ${image}@the-digest`,
    'helm push dist/release/postroom-1.tgz oci://ghcr.io/ada/postroom/charts',
    `skopeo copy --all --preserve-digests --digestfile dist/digest oci-archive:dist/image.tar docker://${image}`,
    'npm pack ./dist/npm ./dist/n8n --pack-destination dist/packages --ignore-scripts',
    'npm publish ./dist/packages/postroom-1.tgz --provenance --access public --ignore-scripts',
    'npm publish ./dist/packages/n8n-nodes-postroom-1.tgz --provenance --access public --ignore-scripts',
    `gh release create ${TAG} --verify-tag --title ${TAG} --notes-file dist/release/NOTES.md`,
    'mcp-publisher login github-oidc',
    'mcp-publisher publish release/server.json',
  ]) {
    t.ok(calls.includes(call), call)
  }
  const uploaded = calls.find((call) => call.startsWith('gh release upload'))
  for (const name of ['compose.yaml', 'coolify.yaml', 'dokploy.json', 'render.yaml', 'railway.ts', 'postroom.py']) {
    t.match(uploaded, ` dist/release/${name} `)
  }
  for (const name of readdirSync(join(folder, 'dist/release'))) t.notMatch(read(`release/${name}`), /OWNER/, name)
  t.match(read('release/compose.yaml'), `image: ${image}\n`)
  t.match(JSON.parse(read('npm/package.json')), {
    name: '@ada/postroom',
    repository: 'git+https://github.com/Ada/Postroom.git',
  })
  t.match(JSON.parse(read('n8n/package.json')), { author: { email: 'the-AUTHOR_EMAIL' } })
})

t.test('the entry for the registry of MCP names the image, whose label is its name', async (t) => {
  const { run, read } = createScene(t)
  run()
  const server = JSON.parse(read('release/server.json'))
  t.match(server, {
    name: 'io.github.Ada/Postroom',
    version: VERSION,
    packages: [
      {
        identifier: `ghcr.io/ada/postroom:${VERSION}`,
        packageArguments: [{ value: 'mcp' }],
        environmentVariables: [{ name: 'POSTROOM_URL' }, { name: 'POSTROOM_KEY', isSecret: true }],
      },
    ],
  })
  t.ok(server.description.length <= 100, 'the registry takes no more')
  const { labels } = steps.find(({ id }: Yaml) => id === 'image').with
  t.match(labels, `io.modelcontextprotocol.server.name=\${{ steps.files.outputs.server }}`)
})

t.test('nothing is published if CI, the tag or the changelog says no, or the author has no address', async (t) => {
  const cases: [string, Parameters<typeof createScene>[1], Record<string, string>, RegExp][] = [
    ['Require that CI has passed', {}, { CI_RUNS: '0' }, /ci has not passed for abc/],
    ['Write the files of the release', {}, { GITHUB_REF_NAME: 'v0.0.1' }, /the tag v0\.0\.1 must be v/],
    ['Write the files of the release', {}, { AUTHOR_EMAIL: '' }, /set the repository's variable AUTHOR_EMAIL/],
    [
      'Write the files of the release',
      { changelog: `## ${VERSION} - unreleased\n` },
      {},
      /CHANGELOG\.md needs the heading "## \S+ - YYYY-MM-DD"/,
    ],
  ]
  for (const [step, options, facts, reason] of cases) {
    await t.test(String(reason), async (t) => {
      const { run, log } = createScene(t, options)
      t.match(run(facts), { failed: step, stderr: reason })
      t.notOk(log().some((call) => /publish|push|create|sign/.test(call)))
    })
  }
})

t.test('notes have links that work outside of the repository', async (t) => {
  const { folder, run } = createScene(t)
  const notes = join(folder, 'notes')
  writeFileSync(
    join(folder, 'bin/gh'),
    `#!/bin/sh\n${STUBS.gh}\ncp dist/release/NOTES.md ${notes} 2>/dev/null || true\n`,
  )
  run()
  t.match(readFileSync(notes, 'utf8'), `- [Docs](https://github.com/Ada/Postroom/blob/${TAG}/src/a.md#b)\n`)
})

t.test('the job that runs the code of the repository may write nothing, and those that publish run none of it', (t) => {
  const { build, ...publishing } = jobs
  t.strictSame(build.permissions, { actions: 'read', contents: 'read' })
  t.notMatch(JSON.stringify(build), /secrets\.|login-action/)
  const rights = Object.entries<Yaml>(publishing).map(([name, { permissions }]) => [
    name,
    Object.keys(permissions).filter((right) => permissions[right] === 'write'),
  ])
  t.strictSame(Object.fromEntries(rights), {
    image: ['id-token', 'packages'],
    attest: ['attestations', 'id-token'],
    npm: ['id-token'],
    release: ['contents'],
    mcp: ['id-token'],
  })
  for (const [name, job] of Object.entries<Yaml>(publishing)) {
    t.notMatch(JSON.stringify(job), /actions\/checkout|make |npm (?:ci|install|run)|build-push-action/, name)
    t.ok(
      [job.needs].flat().every((needed: string) => needed in jobs),
      name,
    )
  }
  const files = (name: string) =>
    stepsOf(name).flatMap(({ uses, with: { name } = {} }: Yaml) => (/-artifact@/.test(uses) ? [name] : []))
  const built = files('build')
  for (const name of Object.keys(publishing))
    t.ok(
      files(name).every((file) => built.includes(file)),
      name,
    )
  t.end()
})
