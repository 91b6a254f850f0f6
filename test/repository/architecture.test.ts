import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

/** The paths that every feature may import. Features do not import each other. */
const FEATURE = [
  'schemas',
  'db',
  'src/base/errors.ts',
  'src/base/log.ts',
  'src/base/slots.ts',
  'src/base/version.ts',
  'src/base/http',
]

/** The rooms of platforms that all networks share. */
const CONTRACT = 'src/platforms/contract'
const WIRE = 'src/platforms/wire'
const RULES = 'src/platforms/rules'
const FAMILIES = 'src/platforms/families'

/** Tells which hosts a post may name. */
const PUBLIC_ADDRESSES = 'src/base/outbound/addresses.ts'

/** The paths that the folder of a network may import: no other network. */
const NETWORK = ['schemas', CONTRACT, WIRE, RULES, FAMILIES, PUBLIC_ADDRESSES]

const NETWORKS = readdirSync('src/platforms', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `src/platforms/${name}`)
  .filter((room) => !NETWORK.includes(room))

/** Each room, a folder or a file, with what it may import besides itself. The first row that contains a file counts. */
const DIRECTIONS: [room: string, mayImport: string[]][] = [
  ['schemas', []],
  ['db', ['schemas', 'package.json']],
  ['src/base/errors.ts', ['schemas']],
  ['src/run/config', ['schemas', 'src/base/keyring', 'src/base/outbound/allow-list.ts', 'src/platforms']],
  ['src/base/log.ts', []],
  ['src/base/slots.ts', []],
  ['src/base/version.ts', ['package.json']],
  ['src/base/with-timeout.ts', []],
  ['src/base/until-stored.ts', ['src/base/log.ts']],
  ['src/base/lease-lost.ts', []],
  ['src/base/http', ['schemas', 'db', 'src/base/errors.ts', 'src/base/storage/storage.ts', 'src/base/version.ts']],
  ['src/base/outbound', ['src/base/with-timeout.ts']],
  ['src/base/storage', []],
  ['src/base/keyring', []],
  [
    'src/engine/credentials',
    [
      'schemas',
      'db',
      'src/base/keyring',
      'src/base/log.ts',
      'src/platforms',
      'src/base/until-stored.ts',
      'src/base/with-timeout.ts',
    ],
  ],

  [CONTRACT, ['schemas']],
  [WIRE, ['schemas', CONTRACT]],
  [RULES, ['schemas', CONTRACT, PUBLIC_ADDRESSES]],
  [FAMILIES, ['schemas', CONTRACT, WIRE]],
  // The sandbox has the limits of X, and boards as Pinterest does.
  ['src/platforms/sandbox', [...NETWORK, 'src/platforms/pinterest/limits.ts', 'src/platforms/x/limits.ts']],
  ...NETWORKS.map((room): [string, string[]] => [room, NETWORK]),
  ['src/platforms', ['schemas']],

  ['src/features/auth', FEATURE],
  ['src/features/docs', FEATURE],
  [
    'src/run/health',
    [
      ...FEATURE,
      'src/engine/delivery/timing.ts',
      'src/base/keyring',
      'src/run/metrics',
      'src/base/storage',
      'src/base/with-timeout.ts',
    ],
  ],
  ['src/features/accounts', [...FEATURE, 'src/platforms', 'src/engine/credentials', 'src/base/keyring']],
  ['src/features/catalogue', [...FEATURE, 'src/platforms']],
  // A connection ends by storing accounts.
  ['src/features/connections', [...FEATURE, 'src/platforms', 'src/base/keyring', 'src/features/accounts/store.ts']],
  [
    'src/features/media',
    [
      ...[...FEATURE, 'src/platforms', 'src/base/keyring', 'src/base/outbound', 'src/base/storage'],
      ...['src/base/lease-lost.ts', 'src/base/with-timeout.ts'],
    ],
  ],
  // The actions of a post's owner are transitions of its deliveries.
  [
    'src/features/posts',
    [
      ...FEATURE,
      'src/platforms',
      'src/engine/credentials/attention.ts',
      ...['plan', 'machine', 'timing'].map((name) => `src/engine/delivery/${name}.ts`),
    ],
  ],
  // A delivery belongs to a post, whose access, content, checks and ETag it shares.
  [
    'src/features/deliveries',
    [
      ...FEATURE,
      'src/platforms',
      'src/features/posts',
      'src/engine/numbers',
      ...['in-flight', 'machine', 'on-network', 'owner-rules', 'plan', 'timing', 'transitions'].map(
        (name) => `src/engine/delivery/${name}.ts`,
      ),
    ],
  ],
  // Tools call operations through the application, and so import no other feature. Paths are checked as in the SDK.
  ['src/features/mcp', [...FEATURE, 'src/clients/sdk/path.ts']],
  ['src/features/events', FEATURE],
  // A webhook sends over connections that are public.
  ['src/features/webhooks', [...FEATURE, 'src/base/keyring', 'src/base/outbound/client.ts']],
  ['src/features/sandbox', FEATURE],
  // The page is a client like any other: it imports the SDK, and the rules that say which actions it may offer.
  [
    'src/features/console/page',
    ['src/clients/sdk', 'src/engine/delivery/owner-rules.ts', 'schemas/delivery-errors.ts', 'schemas/scopes.ts'],
  ],
  ['src/features/console', ['src/base/http/constant.ts']],
  ['src/features/retention', ['db', 'src/run/config', 'src/features/media', 'src/base/lease-lost.ts']],
  // Administrators create keys for users, and delete users.
  [
    'src/features/tenants',
    [
      ...FEATURE,
      'src/features/auth',
      'src/engine/credentials/revoke.ts',
      'src/features/media/library.ts',
      'src/features/retention',
    ],
  ],
  [
    'src/engine/delivery',
    [
      ...['schemas', 'db', 'src/base/log.ts', 'src/platforms', 'src/base/storage'],
      'src/base/with-timeout.ts',
      ...['src/base/lease-lost.ts', 'src/base/until-stored.ts'],
    ],
  ],

  // The numbers that networks report about published posts.
  ['src/engine/numbers', ['schemas', 'db', 'src/base/log.ts', 'src/platforms', 'src/base/with-timeout.ts']],

  // The engine knows the journal as an interface.
  [
    'src/engine/journal',
    [
      'schemas',
      'db',
      'src/base/log.ts',
      'src/engine/delivery',
      'src/platforms',
      'src/base/storage',
      'src/base/with-timeout.ts',
    ],
  ],

  [
    'src/run/metrics',
    [
      ...[
        'schemas',
        'db',
        'src/engine/credentials/attention.ts',
        'src/engine/delivery',
        'src/platforms',
        'src/base/storage',
      ],
      'src/base/version.ts',
    ],
  ],

  // One loop, and each task of a worker as what that loop repeats.
  [
    'src/run/worker',
    [
      'src/base/log.ts',
      ...['accounts', 'events', 'media', 'retention', 'webhooks'].map((room) => `src/features/${room}`),
      ...['credentials', 'delivery', 'numbers'].map((room) => `src/engine/${room}`),
    ],
  ],

  // Users install it alone.
  ['src/clients/sdk', []],

  // n8n installs it alone. The build puts these files of the SDK into the package.
  ['src/clients/n8n', ['src/clients/sdk']],

  // These see everything, downwards: the commands start the processes, and the processes serve the application.
  ['src/cli', ['schemas', 'db', 'src']],
  ['src/run/runtime', ['schemas', 'db', 'src']],
  ['src/run/app.ts', ['schemas', 'db', 'src']],
]

/** Imports that no row of DIRECTIONS may allow. */
const FORBIDDEN: [room: string, mayNotImport: string[]][] = [
  ['src/run/app.ts', ['src/run/runtime', 'src/cli']],
  ['src/run/runtime', ['src/cli']],
]

const WEB = [
  'src/features/console',
  'src/features/docs',
  'src/base/http',
  'src/features/auth',
  'src/features/accounts',
  'src/features/catalogue',
  'src/features/connections',
  'src/features/deliveries',
  'src/features/posts',
  'src/features/sandbox',
  'src/features/events',
  'src/features/media',
  'src/features/mcp',
  'src/features/tenants',
  'src/features/webhooks',
  'src/run/health',
  'src/run/metrics/requests.ts',
  'src/run/app.ts',
  'src/run/runtime',
]

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

const IMPORTS = /(?:^|\n)(?:import|export)\s[^'"]*?from '([^']+)'|(?:^|\n)import '([^']+)'|import\('([^']+)'\)/g

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map((match) => match.slice(1).find(Boolean)!)
const isRelative = (name: string) => name.startsWith('.')
const isPackage = (name: string) => !isRelative(name) && !name.startsWith('node:')
const targetsOf = (file: string) =>
  importsOf(file)
    .filter(isRelative)
    .map((name) => normalize(join(dirname(file), name)).replaceAll('\\', '/'))

t.test('every file imports only what its room may import', async (t) => {
  const problems = files.flatMap((file) => {
    const direction = DIRECTIONS.find(([room]) => isIn(file, room))
    if (!direction) return [`${file} belongs to no room`]
    const [room, mayImport] = direction
    const mayNotImport = FORBIDDEN.filter(([room]) => isIn(file, room)).flatMap(([, rooms]) => rooms)
    return targetsOf(file)
      .filter((target) => !isInAny(target, [room, ...mayImport]) || isInAny(target, mayNotImport))
      .map((target) => `${file} imports ${target}`)
  })
  t.strictSame(problems, [])
})

t.test('no file imports itself, directly or through others', async (t) => {
  const left = new Map(files.map((file) => [file, targetsOf(file)]))
  for (let before = 0; before !== left.size; ) {
    before = left.size
    const imported = new Set([...left.values()].flat())
    for (const [file, targets] of left) {
      if (!imported.has(file) || !targets.some((target) => left.has(target))) left.delete(file)
    }
  }
  t.strictSame([...left.keys()], [])
})

t.test('three features import others', async (t) => {
  const features = DIRECTIONS.filter(([, mayImport]) => FEATURE.every((path) => mayImport.includes(path)))
  const rooms = features.map(([room]) => room)
  const importing = features.filter(([room, mayImport]) =>
    mayImport.some((path) => rooms.some((other) => other !== room && isIn(path, other))),
  )
  t.strictSame(
    importing.map(([room]) => room),
    ['src/features/connections', 'src/features/deliveries', 'src/features/tenants'],
  )
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
