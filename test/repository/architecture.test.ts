import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

/** From the top to the ground: a file imports its own tier and those below it. */
const TIERS = ['src/cli', 'src/run', 'src/features', 'src/engine', 'db', 'src/platforms', 'src/base', 'schemas']

/** Rooms that may import less than their tier, besides themselves. */
const ALONE: [room: string, mayImport: string[], reason: string][] = [
  ['db', ['schemas'], 'statements do not depend on the code that runs them'],
  ['src/platforms', ['schemas'], 'an adapter gets files, credentials and connections from its caller'],
  ['src/clients/sdk', [], 'users install it alone'],
  [
    'src/clients/n8n',
    ['src/clients/sdk'],
    'n8n installs it alone, and the build puts files of the SDK into the package',
  ],
  ['src/features/console/page', ['schemas'], 'it runs in a browser'],
]

/** Features that import other features, besides `auth`, which knows the caller of a request and their rights. */
const STANDS_ON: [feature: string, others: string[], reason: string][] = [
  ['connections', ['accounts'], 'a connection ends by storing accounts'],
  ['deliveries', ['posts'], 'a delivery belongs to a post, whose access, content, checks and ETag it shares'],
  ['retention', ['media'], 'a file that is removed is deleted from the storage'],
  ['tenants', ['media', 'retention'], 'administrators delete users with their files'],
]

/** Imports that the rules above would forbid. */
const EXCEPTIONS: [room: string, mayImport: string, reason: string][] = [
  ['db', 'package.json', 'the database records which version has migrated it'],
  ['src/base/version.ts', 'package.json', 'it is the version'],
  [
    'src/base/http',
    'db',
    'the response of an `Idempotency-Key` is stored, and a failure of the database is a response',
  ],
  ['src/platforms', 'src/base/outbound/addresses.ts', 'a post may name public hosts only'],
  ['src/platforms/sandbox', 'src/platforms/x/limits.ts', 'the sandbox has the limits of X'],
  ['src/platforms/sandbox', 'src/platforms/x/appearance.ts', 'the sandbox shows posts as X does'],
  ['src/platforms/sandbox', 'src/platforms/pinterest/limits.ts', 'the sandbox has boards as Pinterest does'],
  ['src/features/mcp', 'src/clients/sdk/path.ts', 'paths are checked as in the SDK'],
  ['src/features/console/page', 'src/clients/sdk', 'the page is a client like any other'],
  [
    'src/features/console/page',
    'src/engine/delivery/owner-rules.ts',
    'the page offers the actions that the rules allow',
  ],
  ['src/features/console/page', 'src/engine/numbers/csv.ts', 'the page saves numbers as the commands print them'],
  ['src/features/console/page', 'src/platforms/rules/crop.ts', 'the page shows the crops that the service makes'],
  ['src/cli', 'src/clients/sdk', 'commands that send posts are clients of a service'],
]

/** The rooms of platforms that all networks share. */
const SHARED = ['contract', 'wire', 'rules', 'families']

const NETWORKS = readdirSync('src/platforms', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
  .map(({ name }) => `src/platforms/${name}`)

const WEB = ['src/run', 'src/features', 'src/base/http']

/** Packages that only some rooms may import. */
const PACKAGES: [name: RegExp, rooms: string[]][] = [
  [/^(?:pg|kysely)(?:\/|$)/, ['db']],
  [/^@fastify\/send$/, ['src/base/storage']],
  [/^fastify|^@fastify\//, WEB],
  [/^@atproto\//, ['src/platforms/bluesky']],
  [/^@aws-sdk\//, ['src/base/storage/s3.ts', 'src/base/storage/s3-client.ts', 'src/base/storage/s3-journal.ts']],
  [/^@modelcontextprotocol\//, ['src/features/mcp/protocol.ts']],
  [/^(?:sharp|mediabunny)$/, ['src/features/media']],
  [/^(?:undici|ipaddr\.js)$/, ['src/base/outbound']],
  [/^(?:commander|csv-parse|yaml)(?:\/|$)/, ['src/cli']],
  [/^prom-client$/, ['src/run/metrics']],
  [/^(?:preact|htm)(?:\/|$)/, ['src/features/console/page']],
  [/^oauth4webapi$/, ['src/platforms/families/oauth', 'src/platforms/bluesky/connect.ts']],
  [/^(?:ajv|env-schema)$/, ['src/run/config']],
  [/^n8n-/, ['src/clients/n8n']],
]

/** The packages that schemas may import. */
const SCHEMA_PACKAGES = /^@sinclair\/typebox(?:\/|$)/

/**
 * Code that has one place: the promise, the pattern, the rooms that are searched, and the rooms that may contain it.
 */
const PLACES: [promise: string, pattern: RegExp, searched: string[], allowed: string[]][] = [
  ['only db contains SQL', /sql`|selectFrom|insertInto|updateTable|deleteFrom/, ['schemas', 'db', 'src'], ['db']],
  ['only db/sqlstate.ts contains SQLSTATEs', /'[02-5]\d[\dA-Z]{3}'|'P0001'/, ['db', 'src'], ['db/sqlstate.ts']],
  [
    'only src/engine/delivery/timing.ts sets times of deliveries',
    /const [A-Z\d_]+_(?:MS|SECONDS)\b/,
    ['src/engine/delivery', 'src/engine/journal', 'db/queries/delivery'],
    ['src/engine/delivery/timing.ts'],
  ],
  [
    'only the configuration is read from the environment',
    /process\.env|\benv(?:\?\.|[.[])|\} = (?:\w+\.)?env\b/,
    ['schemas', 'db', 'src'],
    ['src/run/config'],
  ],
]

const TOP_LEVEL = new Set([
  ...['src', 'schemas', 'db', 'test', 'openapi'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'Makefile', 'README.md', 'LICENSE'],
  ...['.taprc', '.gitignore', '.env.example', '.editorconfig', '.nvmrc', '.github', '.ci', '.docker', '.git'],
  // Not committed: see .gitignore.
  ...['node_modules', 'dist', '.data', '.media', '.env', '.tap', '.results'],
])

const files = globSync('{schemas,db,src}/**/*.ts').map((file) => file.replaceAll('\\', '/'))
const isIn = (path: string, room: string) => path === room || path.startsWith(`${room}/`)
const isInAny = (path: string, rooms: string[]) => rooms.some((room) => isIn(path, room))

const IMPORTS =
  /(?:^|\n)(?:import|export)\s[^'"]*?from '([^']+)'|(?:^|\n)import '([^']+)'|import(?:\.meta\.resolve)?\(['`]([^'`]+)['`]/g

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map((match) => match.slice(1).find(Boolean)!)
const isRelative = (name: string) => name.startsWith('.')
const isPackage = (name: string) => !isRelative(name) && !name.startsWith('node:')
const targetsOf = (file: string) =>
  importsOf(file)
    .filter(isRelative)
    .map((name) => normalize(join(dirname(file), name)).replaceAll('\\', '/'))

const tierOf = (path: string) => TIERS.findIndex((tier) => isIn(path, tier))
const featureOf = (path: string) => /^src\/features\/(\w+)/.exec(path)?.[1]
const networkOf = (path: string) => NETWORKS.find((network) => isIn(path, network))

/** The folder whose files belong together: a room of a tier, or a tier that has no rooms. */
function roomOf(path: string): string {
  if (isIn(path, 'src/platforms')) return 'src/platforms'
  return /^src\/(?:cli(?=\/)|(?:run|features|engine|base|clients)\/[^/]+)/.exec(path)?.[0] ?? path.split('/')[0]!
}

const arrows = files.flatMap((file) => targetsOf(file).map((target) => ({ file, target })))
const isException = ({ file, target }: (typeof arrows)[number], [room, mayImport] = EXCEPTIONS[0]!) =>
  isIn(file, room) && isIn(target, mayImport)
const ruled = arrows.filter((arrow) => !EXCEPTIONS.some((exception) => isException(arrow, exception)))

const print = (found: typeof arrows) => found.map(({ file, target }) => `${file} imports ${target}`)

t.test('every file belongs to a tier, or to the clients', async (t) => {
  t.strictSame(
    files.filter((file) => tierOf(file) < 0 && !isIn(file, 'src/clients')),
    [],
  )
})

t.test('no import leads up, or out of a room that stands alone', async (t) => {
  const problems = ruled.filter(({ file, target }) => {
    const [room, mayImport] = ALONE.find(([room]) => isIn(file, room)) ?? []
    return room ? !isInAny(target, [room, ...mayImport!]) : tierOf(target) < tierOf(file)
  })
  t.strictSame(print(problems), [])
})

t.test('a network imports no other, and what all networks share imports none', async (t) => {
  const problems = ruled.filter(({ file, target }) => {
    const isShared = SHARED.some((name) => isIn(file, `src/platforms/${name}`))
    return networkOf(target) && networkOf(target) !== networkOf(file) && (isShared || networkOf(file))
  })
  t.strictSame(print(problems), [])
})

t.test('a feature imports those alone that it stands on', async (t) => {
  const problems = ruled.filter(({ file, target }) => {
    const [from, to] = [featureOf(file), featureOf(target)]
    const others = STANDS_ON.find(([feature]) => feature === from)?.[1] ?? []
    return from && to && ![from, 'auth', ...others].includes(to)
  })
  t.strictSame(print(problems), [])
})

t.test('every exception is needed', async (t) => {
  const needless = [
    ...EXCEPTIONS.filter((exception) => !arrows.some((arrow) => isException(arrow, exception))),
    ...STANDS_ON.flatMap(([feature, others]) =>
      others
        .filter(
          (other) => !ruled.some(({ file, target }) => featureOf(file) === feature && featureOf(target) === other),
        )
        .map((other) => [feature, other]),
    ),
  ]
  t.strictSame(needless, [])
})

/** The arrows that are left without those that begin or end at no other. */
function circlesOf(arrows: [from: string, to: string][]): string[] {
  let left = arrows.filter(([from, to]) => from !== to)
  for (let before = -1; before !== left.length; ) {
    before = left.length
    const from = new Set(left.map(([from]) => from))
    const to = new Set(left.map(([, to]) => to))
    left = left.filter((arrow) => to.has(arrow[0]) && from.has(arrow[1]))
  }
  return [...new Set(left.map((arrow) => arrow.join(' imports ')))]
}

t.test('no room imports itself through others', async (t) => {
  t.strictSame(circlesOf(arrows.map(({ file, target }) => [roomOf(file), roomOf(target)])), [])
})

t.test('no file imports itself, directly or through others', async (t) => {
  t.strictSame(
    arrows.filter(({ file, target }) => file === target),
    [],
  )
  t.strictSame(circlesOf(arrows.map(({ file, target }) => [file, target])), [])
})

t.test('every package is imported only where it belongs', async (t) => {
  const isMisplaced = (file: string, name: string) => {
    const rooms = PACKAGES.find(([pattern]) => pattern.test(name))?.[1]
    return (isIn(file, 'schemas') && !SCHEMA_PACKAGES.test(name)) || (rooms && !isInAny(file, rooms))
  }
  const problems = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => isPackage(name) && isMisplaced(file, name))
      .map((name) => `${file} imports ${name}`),
  )
  t.strictSame(problems, [])
})

t.test(
  'the SDK imports nothing at run time but its own files, and so runs without Node and without packages',
  async (t) => {
    const problems = files
      .filter((file) => isIn(file, 'src/clients/sdk'))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8')
        const imports = [...text.matchAll(/^(import|export)\s(type\s)?[^'"]*?from '([^']+)'/gm)]
        const values = imports.filter(([, , type]) => !type).map(([, , , name]) => name!)
        return [
          ...(text.match(/.*(?:node:|require\().*/g) ?? []),
          ...importsOf(file).filter(isPackage),
          ...values.filter((name) => !/^\.\/\w+\.ts$/.test(name)),
        ].map((found) => `${file}: ${found}`)
      })
    t.strictSame(problems, [])
  },
)

t.test('every imported package is a dependency, and every dependency is imported', async (t) => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  // n8n provides what its nodes import: the manifest of the nodes names it.
  const imported = files
    .filter((file) => !isIn(file, 'src/clients/n8n'))
    .flatMap(importsOf)
    .filter(isPackage)
  const packages = imported.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0])
  t.strictSame([...new Set(packages)].sort(), Object.keys(manifest.dependencies).sort())
})

for (const [promise, pattern, searched, allowed] of PLACES) {
  t.test(promise, async (t) => {
    const problems = files
      .filter((file) => isInAny(file, searched) && !isInAny(file, allowed))
      .map((file) => ({ file, found: pattern.exec(readFileSync(file, 'utf8'))?.[0] }))
      .filter(({ found }) => found !== undefined)
    t.strictSame(problems, [])
  })
}

t.test('the top level has only documented entries', async (t) => {
  const entries = readdirSync('.')
  t.strictSame(
    entries.filter((name) => !TOP_LEVEL.has(name)),
    [],
  )
})
