import { readFileSync } from 'node:fs'
import { writeGenerated } from './generated.ts'
import { GROUPS, type Method } from './sdk-methods.ts'

/** Writes the methods of the Python client. */
const FILE = 'src/clients/python/postroom.py'
const MARK = '# The operations: written by `make openapi`.\n'

const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const toClass = (name: string) => name[0]!.toUpperCase() + name.slice(1)

const [core] = readFileSync(FILE, 'utf8').split(MARK) as [string]
const classes = [...GROUPS].map(([name, methods]) => {
  const extras = `_${toClass(name)}Extras`
  const base = core.includes(`class ${extras}(`) ? extras : '_Group'
  // The form is written by hand.
  const lines = methods.filter(({ isForm }) => !isForm).map(write)
  return `class ${toClass(name)}(${base}):\n${lines.join('')}\n`
})
const client = [...GROUPS.keys()].map((name) => `    ${name} = cached_property(${toClass(name)})\n`).join('')

writeGenerated(
  FILE,
  `${core}${MARK}
${classes.join('')}class Postroom(_Client):
    """A client of one Postroom service, with one API key."""
${client}`,
)

function write({ name, method, url, ids, query, body, isFile, isList, hasKey, hasVersion, isRead }: Method): string {
  const names = ids.map((id) => toSnake(id.name))
  const path = ids.length > 0 ? `_path("${url.replace(/:\w+/g, '{}')}", ${names.join(', ')})` : `"${url}"`
  const queryOrNone = query.length > 0 ? 'query' : '{}'
  const parameters = [
    'self',
    ...names.map((id) => `${id}: str`),
    ...(body ? [body.isOptional ? 'body: Optional[Json] = None' : 'body: Json'] : []),
    ...(hasKey ? ['idempotency_key: Optional[str] = None'] : []),
    ...(hasVersion ? ['if_match: Optional[str] = None'] : []),
    ...(isFile ? ['byte_range: Optional[str] = None'] : []),
    ...(query.length > 0 ? ['**query: Any'] : []),
  ]
  const options = [
    ...(body ? ['body=body'] : []),
    ...(hasVersion ? ['headers={"if-match": if_match}'] : []),
    ...(method === 'POST' && isRead ? ['repeatable=True'] : []),
  ]
  const [result, call] = isFile
    ? ['BinaryIO', `_client.file(${path}, ${queryOrNone}, byte_range)`]
    : isList
      ? ['Pages', `_pages(${path}, ${queryOrNone})`]
      : hasKey
        ? [
            'Result',
            `_create(${path}, ${queryOrNone}, ${body ? 'body' : 'None'}, idempotency_key${method === 'POST' ? '' : `, "${method}"`})`,
          ]
        : ['Result', `_client.json(${[`"${method}"`, path, queryOrNone, ...options].join(', ')})`]
  return `    def ${toSnake(name)}(${parameters.join(', ')}) -> ${result}: return self.${call}\n`
}
