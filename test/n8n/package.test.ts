import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { writePackage } from '../../.ci/n8n-package.ts'
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
