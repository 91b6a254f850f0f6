import { execFileSync } from 'node:child_process'
import * as extras from '../src/clients/sdk/extras.ts'
import { readDocument } from '../test/helpers/document.ts'
import { writeGenerated } from './generated.ts'
import { publishedTypes } from './published-types.ts'
import { GROUPS, type Method } from './sdk-methods.ts'

/** Writes the methods and the types of the TypeScript SDK. */
const document = readDocument()
const EXTRAS = extras as Record<string, new () => object>

const toClass = (group: string) => `${group[0]!.toUpperCase()}${group.slice(1)}`

const classes = [...GROUPS].map(([group, methods]) => {
  const base = toClass(group) in EXTRAS ? toClass(group) : 'Group'
  const own = Object.keys(new EXTRAS[base]!())
  const written = methods.filter(({ name }) => !own.includes(name)).map(write)
  return `class ${toClass(group)} extends extras.${base} {\n${written.join('')}}\n\n`
})
const fields = [...GROUPS.keys()].map((group) => `readonly ${group} = new ${toClass(group)}(this.http)\n`)

generate(
  'src/clients/sdk/client.ts',
  `// Written by \`make openapi\`.
import * as extras from './extras.ts'
import { Http } from './http.ts'
import type { ChangeOptions, CreateOptions, Options, PostroomOptions } from './options.ts'
import { path } from './path.ts'
import type * as T from './types.ts'

${classes.join('')}/** A client of one Postroom service, with one API key. */
export class Postroom extends extras.Group {
  constructor(options: PostroomOptions) {
    super(new Http(options))
  }
  ${fields.join('')}}`,
)
generate('src/clients/sdk/types.ts', `// Written by \`make openapi\`.\n${publishedTypes(document)}`)

function generate(file: string, text: string): void {
  const command = ['format', '--config-path=.ci/biome.json', `--stdin-file-path=${file}`]
  writeGenerated(file, execFileSync('biome', command, { input: text, encoding: 'utf8' }))
}

function write(method: Method): string {
  const { operationId, name, url, ids, query, needsQuery, body, isFile, isList, hasKey, hasVersion, hasRange } = method
  const path = ids.length > 0 ? `path\`${url.replaceAll(/:(\w+)/g, (_, id) => `\${${id}}`)}\`` : `'${url}'`
  const queryType = `T.${operationId[0]!.toUpperCase()}${operationId.slice(1)}Query`
  const hasQuery = query.length > 0
  const options = [
    hasKey ? 'CreateOptions' : hasVersion ? 'ChangeOptions' : 'Options',
    ...(hasQuery && body ? [queryType] : []),
    ...(hasRange ? ['{ range?: string }'] : []),
  ]
  const parameters = [
    ...ids.map((id) => `${id.name}: ${typeOfId(id.values)}`),
    ...(body ? [declareBody(method)] : []),
    ...(hasQuery && !body ? [`query${needsQuery ? '' : '?'}: ${queryType}`] : []),
    `options?: ${options.join(' & ')}`,
  ]
  const content = body ? 'body' : 'undefined'
  const separateQuery = hasQuery && !body ? 'query' : '{}'
  const sent = [
    `'${method.method}'`,
    path,
    content,
    hasQuery && !body ? '{ ...query, ...options }' : 'options',
    ...(method.isRead ? ['true'] : []),
  ]
  const call = isFile
    ? `file(${path}, ${separateQuery}, options)`
    : isList
      ? `list<T.${method.result}>(${path}, ${separateQuery}, options)`
      : method.method === 'GET'
        ? `get<T.${method.result}>(${path}, ${separateQuery}, options)`
        : hasKey
          ? `create<T.${method.result}>(${path}, ${content}, options${method.method === 'POST' ? '' : `, '${method.method}'`})`
          : `send<T.${method.result}>(${sent.join(', ')})`
  return `${comment(method.description)}\nreadonly ${name} = (${parameters.join(', ')}) => this.http.${call}\n`
}

/** A body without required properties may be absent, except from a PATCH, which would change nothing. */
function declareBody({ method, body }: Method): string {
  const { type, isOptional, hasRequired } = body!
  if (isOptional) return `body?: T.${type}`
  return `body: T.${type}${method === 'POST' && !hasRequired ? ' = {}' : ''}`
}

/** The component that lists the same values. */
function typeOfId(values: string[] | undefined): string {
  const list = String(values)
  const found = Object.entries(document.components.schemas).find(([, schema]) => String(schema.enum) === list)
  return values && found ? `T.${found[0]}` : 'string'
}

/** The first sentence of a description, in lines of at most 120 columns. */
function comment(description: string): string {
  const [sentence] = /^.*?\.(?=\s|$)/s.exec(description)!
  const lines = sentence.match(/(?:\S.{0,109})(?:\s|$)/g)!
  if (lines.length === 1) return `/** ${sentence} */`
  return `/**\n${lines.map((line) => ` * ${line.trim()}\n`).join('')} */`
}
