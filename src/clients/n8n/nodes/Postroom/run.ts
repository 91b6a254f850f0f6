import { type IDataObject, type IExecuteFunctions, NodeOperationError } from 'n8n-workflow'
import { isPathSegment } from '../../../sdk/path.ts'
import { OPERATIONS } from './description.ts'
import type { Field, Operation } from './operation.ts'
import { type Request, send } from './send.ts'

const PAGE_MAX = 100
/** Numbers with their history. */
const HISTORY_PAGE_MAX = 25
/** The service ends uploads and imports that stall. */
const UPLOAD_TIMEOUT_MS = 3_600_000

type Values = Record<Field['in'], IDataObject>

/** Carries out the operation of one item, and returns its results. */
export async function run(this: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const read = (name: string) => this.getNodeParameter(name, itemIndex)
  const operation = OPERATIONS[`${read('resource')}.${read('operation')}`]!
  const values = readValues.call(this, operation, itemIndex)
  const isPaged = operation.isList && operation.cursorIn !== undefined
  const max = isPaged && !read('returnAll') ? Number(read('limit')) : Number.POSITIVE_INFINITY
  const pageMax = values.query.history === true ? HISTORY_PAGE_MAX : PAGE_MAX
  const results: IDataObject[] = []
  let cursor: IDataObject[string]
  do {
    const paging = { ...(isPaged && { limit: Math.min(max - results.length, pageMax) }), ...(cursor && { cursor }) }
    if (operation.cursorIn) Object.assign(values[operation.cursorIn], paging)
    const response = await send.call(this, await toRequest.call(this, operation, values, itemIndex))
    results.push(...(operation.isList ? (response.data as IDataObject[]) : [response]))
    cursor = operation.cursorIn && response.nextCursor
  } while (cursor && results.length < max)
  return results
}

function readValues(this: IExecuteFunctions, { fields }: Operation, itemIndex: number): Values {
  const values: Values = { path: {}, query: {}, header: {}, body: {} }
  const additional = this.getNodeParameter('additionalFields', itemIndex, {}) as IDataObject
  for (const [name, field] of Object.entries(fields)) {
    const value = field.isShown ? (this.getNodeParameter(name, itemIndex) as IDataObject[string]) : additional[name]
    if (value === undefined) continue
    values[field.in][name] = field.type === 'json' ? parse.call(this, name, value, itemIndex) : value
    const isLocal = field.type === 'localTime' && typeof value === 'string' && !/(?:Z|[+-]\d\d:\d\d)$/i.test(value)
    if (isLocal) values.body.timeZone ??= this.getTimezone()
  }
  return values
}

function parse(this: IExecuteFunctions, name: string, value: IDataObject[string], itemIndex: number) {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value
  } catch (error) {
    const message = `${name} is not JSON: ${(error as Error).message}`
    throw new NodeOperationError(this.getNode(), message, { itemIndex })
  }
}

async function toRequest(
  this: IExecuteFunctions,
  { method, path, fields, isRepeatable, isUpload }: Operation,
  values: Values,
  itemIndex: number,
): Promise<Request> {
  const file = Object.keys(fields).find((name) => fields[name]!.type === 'file')
  const hasBody = Object.values(fields).some((field) => field.in === 'body')
  const content = file ? await toForm.call(this, values.body, file, itemIndex) : hasBody && toJson(values.body)
  const key = 'Idempotency-Key' in fields && { 'Idempotency-Key': toKey.call(this, itemIndex) }
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, name) => toSegment.call(this, name, values.path[name], itemIndex)),
    qs: values.query,
    ...(content && { body: content.body }),
    headers: { ...key, ...values.header, ...(content && { 'content-type': content.type }) },
    ...(isUpload && { timeout: UPLOAD_TIMEOUT_MS }),
    isRepeatable: isRepeatable ?? false,
    itemIndex,
  }
}

/** n8n would leave out an empty object. */
const toJson = (body: IDataObject) => ({ type: 'application/json', body: JSON.stringify(body) })

function toSegment(this: IExecuteFunctions, name: string, value: unknown, itemIndex: number): string {
  if (isPathSegment(value)) return encodeURIComponent(value)
  throw new NodeOperationError(this.getNode(), `${name} is ${JSON.stringify(value)}: it must be an ID`, { itemIndex })
}

/**
 * The same in each attempt for one item, and another one in each turn of a loop. Databases of several n8n count their
 * executions on their own, so that it names the instance too.
 */
function toKey(this: IExecuteFunctions, itemIndex: number): string {
  const { $runIndex } = this.getWorkflowDataProxy(itemIndex)
  const node = encodeURIComponent(this.getNode().id)
  return ['n8n', this.getInstanceId(), this.getExecutionId(), node, $runIndex, itemIndex].join(':')
}

async function toForm(this: IExecuteFunctions, body: IDataObject, file: string, itemIndex: number) {
  const property = String(body[file])
  const { fileName } = this.helpers.assertBinaryData(itemIndex, property)
  const bytes = await this.helpers.getBinaryDataBuffer(itemIndex, property)
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) if (name !== file) form.append(name, String(value))
  form.append(file, new Blob([bytes as Uint8Array<ArrayBuffer>]), fileName ?? 'file')
  const encoded = new Response(form)
  return { type: encoded.headers.get('content-type'), body: Buffer.from(await encoded.arrayBuffer()) }
}
