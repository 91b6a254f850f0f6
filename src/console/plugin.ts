import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { createConstant, once, sendConstant } from '../http/constant.ts'

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

/** Modules that the page shares with the service: rules of actions, and meanings of errors. */
const SHARED = { 'delivery/owner-rules.ts': '..', 'schemas/delivery-errors.ts': '../..' }

const folderOf = (name: string) => new URL(`../${name}/`, import.meta.url)

/**
 * Serves the console: a page that calls the API with the key of the person who looks, and its modules as they are in
 * this folder, without their types. Addresses are relative, so that they hold behind a proxy that adds a prefix.
 */
export async function consolePage(app: FastifyInstance): Promise<void> {
  const serve = (path: string, type: string, render: () => string) => {
    const file = once(() => createConstant(type, render()))
    app.get(path, { schema: { hide: true } }, async (_request, reply) =>
      sendConstant(reply.header('content-security-policy', POLICY), file(), 'no-cache'),
    )
  }
  const read = (folder: string, name: string) => readFileSync(new URL(name, folderOf(folder)), 'utf8')
  serve('/console', 'text/html; charset=utf-8', () => read('console', 'page.html'))
  serve('/console/style.css', 'text/css; charset=utf-8', () => read('console', 'style.css'))
  serve('/console/icon.svg', 'image/svg+xml', () => read('console', 'icon.svg'))
  for (const folder of ['console/page', 'sdk']) {
    for (const name of readdirSync(folderOf(folder)).filter((name) => name.endsWith('.ts'))) {
      serve(`/console/${folder}/${name}`, SCRIPT, () => toScript(read(folder, name)))
    }
  }
  for (const [path, root] of Object.entries(SHARED)) {
    serve(`/console/${path}`, SCRIPT, () => toScript(readFileSync(new URL(`${root}/${path}`, import.meta.url), 'utf8')))
  }
  for (const [specifier, name] of Object.entries(PACKAGES)) {
    serve(`/console/console/page/${name}.js`, SCRIPT, () =>
      withFiles(readFileSync(new URL(import.meta.resolve(specifier)), 'utf8')),
    )
  }
}

/**
 * Browsers know no names of packages, and the policy of the page forbids the map that would tell them. Everything is
 * below `/console`.
 */
const withFiles = (script: string) =>
  script
    .replace("'../../../schemas/", "'../../schemas/")
    .replace(/(\bfrom ?)(["'])([\w/]+)\2/g, (whole, from, quote, specifier) =>
      specifier in PACKAGES ? `${from}${quote}./${PACKAGES[specifier]}.js${quote}` : whole,
    )

function toScript(source: string): string {
  const { emitWarning } = process
  // Node still calls the function experimental, which it has used to run this file.
  process.emitWarning = () => {}
  try {
    return withFiles(stripTypeScriptTypes(source))
  } finally {
    process.emitWarning = emitWarning
  }
}
