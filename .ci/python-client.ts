import { readFileSync, writeFileSync } from 'node:fs'
import * as operations from '../schemas/operations/index.ts'

/** Writes the methods of the Python client from the operations. With `--verify`, fails if they differ. */
const FILE = 'src/sdk/python/postroom.py'
const MARK = '# The operations: written by `make openapi`.\n'

interface Operation {
  method: string
  url: string
  scope: string | null
  sdk?: string
  config: { hasOptionalBody?: boolean }
  schema: Partial<Record<'headers' | 'querystring', { properties: object }>> & {
    consumes?: string[]
    body?: object
    response: Record<string, { $ref?: string; content?: object }>
  }
}

const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const toClass = (name: string) => name[0]!.toUpperCase() + name.slice(1)

const [core] = readFileSync(FILE, 'utf8').split(MARK) as [string]
const groups = Map.groupBy(
  (Object.values(operations) as Operation[]).filter(
    // The form is written by hand.
    ({ sdk, schema }) => sdk && !schema.consumes?.includes('multipart/form-data'),
  ),
  ({ sdk }) => sdk!.split('.')[0]!,
)
const names = [...groups.keys()].sort()
const classes = names.map((name) => {
  const extras = `_${toClass(name)}Extras`
  const base = core.includes(`class ${extras}(`) ? extras : '_Group'
  const methods = groups.get(name)!.map(methodOf).sort()
  return `class ${toClass(name)}(${base}):\n${methods.join('')}\n`
})
const client = names.map((name) => `    ${name} = cached_property(${toClass(name)})\n`).join('')
const written = `${core}${MARK}
${classes.join('')}class Postroom(_Client):
    """A client of one Postroom service, with one API key."""
${client}`

if (!process.argv.includes('--verify')) writeFileSync(FILE, written)
else if (readFileSync(FILE, 'utf8') !== written) {
  process.stderr.write(`${FILE} is not up to date: run make openapi\n`)
  process.exitCode = 1
}

function methodOf({ method, url, scope, sdk, config, schema }: Operation): string {
  const ids = [...url.matchAll(/:(\w+)/g)].map(([, id]) => toSnake(id!))
  const path = ids.length > 0 ? `_path("${url.replace(/:\w+/g, '{}')}", ${ids.join(', ')})` : `"${url}"`
  const has = (part: 'headers' | 'querystring', name: string) => name in (schema[part]?.properties ?? {})
  const takesQuery = Object.keys(schema.querystring?.properties ?? {}).length > 0
  const query = takesQuery ? 'query' : '{}'
  const success = Object.entries(schema.response).filter(([status]) => status < '300')
  const [, { $ref = '', content = {} }] = success[0]!
  const isFile = Object.keys(content).some((type) => /^(?:image|video)\//.test(type))
  const body = schema.body && (config.hasOptionalBody ? 'body: Optional[Json] = None' : 'body: Json')
  const parameters = [
    'self',
    ...ids.map((id) => `${id}: str`),
    ...(body ? [body] : []),
    ...(has('headers', 'Idempotency-Key') ? ['idempotency_key: Optional[str] = None'] : []),
    ...(has('headers', 'If-Match') ? ['if_match: Optional[str] = None'] : []),
    ...(isFile ? ['byte_range: Optional[str] = None'] : []),
    ...(takesQuery ? ['**query: Any'] : []),
  ]
  const options = [
    ...(body ? ['body=body'] : []),
    ...(has('headers', 'If-Match') ? ['headers={"if-match": if_match}'] : []),
    // A POST that only reads.
    ...(method === 'POST' && scope?.endsWith(':read') ? ['repeatable=True'] : []),
  ]
  const [result, call] = isFile
    ? ['BinaryIO', `_client.file(${path}, ${query}, byte_range)`]
    : $ref.endsWith('List')
      ? ['Pages', `_pages(${path}, ${query})`]
      : has('headers', 'Idempotency-Key')
        ? ['Result', `_create(${path}, ${query}, body, idempotency_key)`]
        : ['Result', `_client.json(${[`"${method}"`, path, query, ...options].join(', ')})`]
  const name = toSnake(sdk!.split('.')[1]!)
  return `    def ${name}(${parameters.join(', ')}) -> ${result}: return self.${call}\n`
}
