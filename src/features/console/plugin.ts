import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, relative } from 'node:path/posix'
import type { FastifyInstance } from 'fastify'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { createConstant, once, sendConstant } from '../../base/http/constant.ts'

/** The page may do no more than load its own files and call its own service. Pictures of uploads come from memory. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SCRIPT = 'text/javascript; charset=utf-8'

/** Packages that the page imports, by the names of their files in the folder of the page. */
const PACKAGES: Record<string, string> = { preact: 'preact', 'preact/hooks': 'preact-hooks', htm: 'htm' }

/** The icons of networks that have another name in the package bootstrap-icons. */
const ICONS: Partial<Record<string, string>> = { google_business: 'google', sandbox: 'box', x: 'twitter-x' }

const PAGE = 'src/features/console/page'

/**
 * Modules that the page shares with the service: what an owner may do, how pictures are cut, what a key allows,
 * and numbers as CSV.
 */
const SHARED = [
  'src/engine/delivery/owner-rules.ts',
  'src/engine/numbers/csv.ts',
  'src/base/line.ts',
  'src/platforms/rules/crop.ts',
  'schemas/metric-names.ts',
  'schemas/scopes.ts',
]

/** The files of the service, by their paths from its root. */
const fileAt = (path: string) => new URL(`../../../${path}`, import.meta.url)

/**
 * Serves the console: a page that calls the API with the key of the person who looks, and its modules without their
 * types. Modules have their paths from the root of the service, so that their imports of each other hold. Addresses are
 * relative, so that they hold behind a proxy that adds a prefix.
 */
export async function consolePage(app: FastifyInstance): Promise<void> {
  const serve = (path: string, type: string, render: () => string) => {
    const file = once(() => createConstant(type, render()))
    app.get(path, { schema: { hide: true } }, async ({ originalUrl }, reply) => {
      // Behind a slash, the addresses in the page would not hold.
      if (/\/console\/(?:\?|$)/.test(originalUrl)) return reply.redirect('../console', 308)
      // A page that has opened this one must not lead it elsewhere.
      reply.headers({ 'content-security-policy': POLICY, 'cross-origin-opener-policy': 'same-origin' })
      return sendConstant(reply, file(), 'no-cache')
    })
  }
  const read = (path: string) => readFileSync(fileAt(path), 'utf8')
  serve('/console', 'text/html; charset=utf-8', () => read('src/features/console/page.html'))
  for (const name of readdirSync(fileAt('src/features/console/style'))) {
    serve(`/console/style/${name}`, 'text/css; charset=utf-8', () => read(`src/features/console/style/${name}`))
  }
  serve('/console/icon.svg', 'image/svg+xml', () => read('src/features/console/icon.svg'))
  for (const id of PLATFORM_IDS) {
    serve(`/console/icons/${id}.svg`, 'image/svg+xml', () =>
      readFileSync(new URL(import.meta.resolve(`bootstrap-icons/icons/${ICONS[id] ?? id}.svg`)), 'utf8'),
    )
  }
  const modulesIn = (folder: string) =>
    readdirSync(fileAt(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`)
  for (const path of [...modulesIn(PAGE), ...modulesIn('src/clients/sdk'), ...SHARED]) {
    serve(`/console/${path}`, SCRIPT, () => toScript(read(path), relative(dirname(path), PAGE)))
  }
  for (const [specifier, name] of Object.entries(PACKAGES)) {
    serve(`/console/${PAGE}/${name}.js`, SCRIPT, () =>
      withFiles(readFileSync(new URL(import.meta.resolve(specifier)), 'utf8')),
    )
  }
}

/** Browsers know no names of packages, and the policy of the page forbids the map that would tell them. */
const withFiles = (script: string, folder = '') =>
  script.replace(/(\bfrom ?)(["'])([\w/]+)\2/g, (whole, from, quote, specifier) =>
    specifier in PACKAGES ? `${from}${quote}./${folder && `${folder}/`}${PACKAGES[specifier]}.js${quote}` : whole,
  )

/** `folder`: the way from the module to the folder of the packages. */
function toScript(source: string, folder: string): string {
  const { emitWarning } = process
  // Node still calls the function experimental, which it has used to run this file.
  process.emitWarning = () => {}
  try {
    return withFiles(stripTypeScriptTypes(source), folder)
  } finally {
    process.emitWarning = emitWarning
  }
}
