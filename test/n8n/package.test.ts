import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { writePackage } from '../../.ci/n8n-package.ts'
import { HISTORY_LIMIT_MAX } from '../../schemas/metrics.ts'
import { createFolder } from '../helpers/app.ts'
import { readDocument } from '../helpers/document.ts'

interface Property {
  name: string
  displayOptions?: { show: { resource?: string[]; operation?: string[] } }
  options?: Property[]
}

t.test('the packed nodes need nothing but n8n, and have a field for each parameter of the API', async (t) => {
  const folder = await createFolder(t)
  execFileSync('tar', ['-xzf', writePackage(folder), '-C', folder])
  const root = join(folder, 'package')
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.equal(manifest.version, JSON.parse(readFileSync('package.json', 'utf8')).version)
  t.strictSame([manifest.dependencies, manifest.peerDependencies], [undefined, { 'n8n-workflow': '*' }])
  const files = globSync(join(root, 'dist/**/*.js'))
  const required = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/require\("([^."][^"]*)"\)/g)])
  t.strictSame([...new Set(required.map(([, name]) => name))], ['n8n-workflow'])

  const { OPERATIONS, PROPERTIES } = createRequire(import.meta.url)(join(root, 'dist/nodes/Postroom/description.js'))
  const fieldsOf = (resource: string, operation: string) =>
    (PROPERTIES as Property[])
      .filter(({ displayOptions }) => displayOptions?.show.resource?.[0] === resource)
      .filter(({ displayOptions }) => displayOptions?.show.operation?.[0] === operation)
      .flatMap((property) => (property.name === 'additionalFields' ? property.options! : [property]))
      .map(({ name }) => name)
      .sort()
  const { CreatePost } = readDocument().components.schemas
  const inHeaderAndQuery = ['Idempotency-Key', 'strict']
  const expected = [...Object.keys(CreatePost!.properties!), ...inHeaderAndQuery].sort()
  t.strictSame(fieldsOf('post', 'create'), expected)
  const paging = ['limit', 'returnAll']
  for (const [name, { fields }] of Object.entries(OPERATIONS as Record<string, { fields: object }>)) {
    const [resource, operation] = name.split('.') as [string, string]
    const shown = fieldsOf(resource, operation).filter((field) => !paging.includes(field))
    t.strictSame(shown, Object.keys(fields).sort(), name)
  }
})

t.test('a node reads pages of the size that the API takes, and takes nested lists as JSON', async (t) => {
  const folder = await createFolder(t)
  execFileSync('tar', ['-xzf', writePackage(folder), '-C', folder])
  const n8n = join(folder, 'node_modules/n8n-workflow')
  mkdirSync(n8n, { recursive: true })
  writeFileSync(join(n8n, 'index.js'), 'exports.NodeOperationError = exports.NodeApiError = Error')
  const nodes = join(folder, 'package/dist/nodes/Postroom')
  const { OPERATIONS } = createRequire(import.meta.url)(join(nodes, 'description.js'))
  t.equal(OPERATIONS['delivery.retry'].fields.threadMedia.type, 'json')

  const { run } = createRequire(import.meta.url)(join(nodes, 'run.js'))
  const limitOf = async (history: boolean) => {
    const parameters: Record<string, unknown> = { resource: 'delivery', operation: 'metrics', limit: 50 }
    let limit: unknown
    const context = {
      getNodeParameter: (name: string) => parameters[name] ?? (name === 'additionalFields' ? { history } : false),
      getCredentials: async () => ({ baseUrl: 'https://postroom.example.com' }),
      helpers: {
        async httpRequestWithAuthentication(_: string, { qs }: { qs: { limit: unknown } }) {
          limit = qs.limit
          return { statusCode: 200, headers: {}, body: { data: [], nextCursor: null } }
        },
      },
    }
    await run.call(context, 0)
    return limit
  }
  t.strictSame([await limitOf(true), await limitOf(false)], [HISTORY_LIMIT_MAX, 50])
})
