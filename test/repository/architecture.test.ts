import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

/**
 * Who may import whom: a folder (or file), and what its files may reach beside their own folder. The first row that
 * fits a file counts.
 */
const FEATURE = ['schemas', 'db', 'src/platforms', 'src/errors.ts', 'src/http']

const DIRECTIONS: [room: string, mayImport: string[]][] = [
  ['schemas', []],
  ['db', ['schemas']],
  ['src/platforms/sandbox/plugin.ts', ['schemas', 'db', 'src/errors.ts', 'src/http']],
  ['src/platforms', ['schemas', 'src/outbound']],
  ['src/outbound', []],
  ['src/credentials', ['src/platforms']],
  ['src/config.ts', ['src/credentials']],
  ['src/errors.ts', ['schemas']],
  ['src/http', ['schemas', 'db', 'src/errors.ts', 'package.json']],
  ['src/auth', ['schemas', 'db', 'src/errors.ts', 'src/http']],
  ['src/accounts', [...FEATURE, 'src/credentials']],
  // The actions of a post's owner are transitions of its deliveries.
  ['src/posts', [...FEATURE, 'src/delivery/states.ts', 'src/delivery/plan.ts']],
  ['src/media', [...FEATURE, 'src/outbound', 'src/storage', 'package.json']],
  ['src/health', ['schemas', 'db', 'src/errors.ts', 'src/http']],
  ['src/storage', []],
  ['src/delivery', ['schemas', 'db', 'src/platforms', 'src/credentials', 'src/storage']],
  ['src/app.ts', ['schemas', 'db', 'src']],
  ['src/runtime', ['schemas', 'db', 'src', 'package.json']],
  ['src/cli', ['schemas', 'db', 'src', 'package.json']],
]

/** Packages that only one room may know. */
const PACKAGES: [name: RegExp, rooms: string[]][] = [
  [/^(?:pg|kysely)(?:\/|$)/, ['db']],
  [
    /^fastify|^@fastify\//,
    [
      'src/http',
      'src/auth',
      'src/accounts',
      'src/posts',
      'src/media',
      'src/storage',
      'src/platforms/sandbox/plugin.ts',
      'src/health',
      'src/app.ts',
      'src/runtime',
    ],
  ],
  [/^@atproto\//, ['src/platforms/bluesky']],
  [/^@aws-sdk\//, ['src/storage/s3.ts']],
  [/^(?:sharp|mediabunny)$/, ['src/media']],
  [/^(?:undici|ipaddr\.js)$/, ['src/outbound']],
  [/^commander$/, ['src/cli']],
]

const SCHEMA_PACKAGES = /^@sinclair\/typebox/

const files = globSync('{schemas,db,src}/**/*.ts').map((file) => file.replaceAll('\\', '/'))
const isIn = (path: string, room: string) => path === room || path.startsWith(`${room}/`)

const IMPORTS = /(?:^|\n)(?:import|export)\s[^'"]*?from '([^']+)'|(?:^|\n)import '([^']+)'|import\('([^']+)'\)/g

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map((match) => match.slice(1).find(Boolean)!)

t.test('imports go in the documented directions only', async (t) => {
  for (const file of files) {
    const direction = DIRECTIONS.find(([room]) => isIn(file, room))
    if (!direction) {
      t.fail(`${file} belongs to no room`)
      continue
    }
    const [room, mayImport] = direction
    for (const name of importsOf(file).filter((name) => name.startsWith('.'))) {
      const target = normalize(join(dirname(file), name)).replaceAll('\\', '/')
      const allowed = isIn(target, room) || mayImport.some((other) => isIn(target, other))
      t.ok(allowed, `${file} imports ${target}`)
    }
  }
})

t.test('packages are known only where they belong', async (t) => {
  for (const file of files) {
    for (const name of importsOf(file).filter((name) => !name.startsWith('.') && !name.startsWith('node:'))) {
      if (isIn(file, 'schemas')) t.match(name, SCHEMA_PACKAGES, `${file} imports ${name}`)
      const rooms = PACKAGES.find(([pattern]) => pattern.test(name))?.[1]
      if (rooms)
        t.ok(
          rooms.some((room) => isIn(file, room)),
          `${file} imports ${name}`,
        )
    }
  }
})

t.test('what is imported is a dependency, and every dependency is imported', async (t) => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  const imported = files.flatMap(importsOf).filter((name) => !/^(?:\.|node:)/.test(name))
  const packages = imported.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0])
  t.strictSame([...new Set(packages)].sort(), Object.keys(manifest.dependencies).sort())
})

t.test('SQL stands in db, and the environment is read through the configuration', async (t) => {
  for (const file of files.filter((file) => !isIn(file, 'db'))) {
    const text = readFileSync(file, 'utf8')
    t.notMatch(text, /sql`|selectFrom|insertInto|updateTable|deleteFrom/, `${file} has no SQL`)
    t.notMatch(text.replaceAll('readConfig(process.env)', ''), /process\.env/, `${file} does not read the environment`)
  }
})

t.test('the top level holds what is documented', async (t) => {
  const known =
    /^(?:src|schemas|db|test|openapi|package\.json|package-lock\.json|tsconfig\.json|\.taprc|Makefile|README\.md|LICENSE|\.gitignore|\.editorconfig|\.nvmrc|\.github|\.ci|\.git|\.data|\.media|\.tap|\.results|dist|node_modules)$/
  for (const name of globSync('{*,.*}')) t.match(name, known)
})
