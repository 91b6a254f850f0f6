import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import swaggerUi, { type FastifySwaggerUiConfigOptions } from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Tag } from '../../../schemas/document.ts'
import { type Constant, createConstant, JSON_TYPE, once, sendConstant } from '../../base/http/constant.ts'
import { type PageDocument, pageDocument } from './page-document.ts'
import { swaggerPlugin } from './swagger-plugin.ts'
import { texts } from './texts.ts'

/** Changes to the style of Swagger UI: the first operation is on the first screen, also of a telephone. */
const PAGE_STYLE = `.swagger-ui .info { margin: 20px 0 12px }
.swagger-ui .scheme-container { margin: 0 0 12px; padding: 12px 0 }
.swagger-ui .filter .operation-filter-input { box-sizing: border-box; margin: 8px 0; width: 100% }
.swagger-ui .open-response { background: none; border: 0; cursor: pointer; font: inherit; padding: 0; text-align: left }
.swagger-ui .open-response::before { content: '▸ ' }
.swagger-ui .chapters { margin-bottom: 80px }
.swagger-ui .chapter { border-top: 1px solid #d8dde7; padding: 10px 0 }
.swagger-ui .chapter summary { cursor: pointer; font-weight: 700 }
.swagger-ui .chapter > a { display: inline-block; margin-top: 8px }
.swagger-ui .chapter table { display: block; overflow-x: auto }
.swagger-ui .chapter td { padding: 8px 12px 0 0; vertical-align: top }
.swagger-ui .response-col_links { display: none }
`

/** Serves Swagger UI at `/docs`, and its texts beside it. */
export async function docs(app: FastifyInstance, { tags }: { tags: Tag[] }): Promise<void> {
  await app.register(texts, { tags })
  const constants = listConstants(() => JSON.stringify(pageDocument(app.swagger() as PageDocument, tags)))
  app.addHook('onRequest', async ({ method, url, headers, raw, originalUrl }, reply) => {
    // Relative addresses in the page depend on a slash at the end of its own. The router does not see that slash.
    if (/\/docs\/(?:\?|$)/.test(originalUrl)) raw.url = '/docs/'
    // The plugin redirects to `/docs/`, and leaves out the path of PUBLIC_URL.
    if (/^\/docs\/static\/index\.html(?:\?|$)/.test(url)) return reply.redirect('../../docs')
    // Parts of files and preconditions are left to the plugin.
    const isPlain = !url.startsWith('/docs/static/') || !(headers.range || headers['if-match'])
    const constant = method === 'GET' && isPlain ? constants.get(url.split('?', 1)[0]!) : undefined
    if (constant) return sendConstant(reply, constant(), 'no-cache')
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Makes the addresses of the files relative, so that they hold below any path.
    indexPrefix: '.',
    staticCSP: PAGE_POLICY,
    // No layout of ours shows it.
    logo: null as never,
    theme: { title: 'Postroom', css: [{ filename: 'postroom.css', content: PAGE_STYLE }] },
    uiConfig: {
      plugins: [swaggerPlugin] as NonNullable<FastifySwaggerUiConfigOptions['plugins']>,
      layout: 'PostroomLayout',
      docExpansion: 'none',
      filter: true,
      defaultModelExpandDepth: 2,
      displayOperationId: true,
      displayRequestDuration: true,
      persistAuthorization: true,
      tryItOutEnabled: true,
    },
  })
}

/** The files of Swagger UI that are large. */
const ASSETS: Record<string, string> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
}

/** The responses that the plugin would render or read again for each request, by their paths. */
function listConstants(render: () => string): Map<string, () => Constant> {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static')
  return new Map([
    ['/docs/json', once(() => createConstant(JSON_TYPE, render()))],
    // Every JSON is YAML: https://yaml.org/spec/1.2.2/#12-yaml-history
    ['/docs/yaml', once(() => createConstant('application/yaml; charset=utf-8', render()))],
    ...Object.entries(ASSETS).map(([name, type]): [string, () => Constant] => [
      `/docs/static/${name}`,
      once(() => createConstant(type, readFileSync(join(folder, name)))),
    ]),
  ])
}

/**
 * The content security policy of Swagger UI. The plugin's own one has `upgrade-insecure-requests`, with which the page
 * stays blank over plain HTTP on any host but localhost.
 */
const PAGE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  // Swagger UI shows an image of a response from a blob.
  'img-src': ["'self'", 'data:', 'blob:'],
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}
