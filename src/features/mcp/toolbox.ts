import { type TProperties, Type } from '@sinclair/typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { ERRORS } from '../../../schemas/errors.ts'
import { Confirm } from '../../../schemas/mcp.ts'
import type { ToolFacts } from '../../../schemas/operations/define-operation.ts'
import { hasScope } from '../../../schemas/scopes.ts'
import { AppError } from '../../base/errors.ts'
import { requireStorable } from '../../base/http/json.ts'
import { validatorCompiler } from '../../base/http/validation.ts'
import { type Api, type Arguments, apiOf, propertiesOf, ToolError, type ToolProblem, toToolError } from './api.ts'
import { confirmationRequired } from './confirm.ts'
import { instructionsFor } from './instructions.ts'
import type { Toolbox } from './protocol.ts'
import { describeProblem } from './text.ts'
import { type ToolDefinition, takesConfirm } from './tool.ts'
import { componentOf, toInputSchema, toOutputSchema, withoutNames } from './tool-schema.ts'
import { TOOLS } from './tools.ts'

/** Each has up to 190 kB. */
const LISTS_MAX = 20

type Validator = (args: Arguments) => { error?: Error }

interface Tool extends ToolDefinition {
  validate: Validator
  /** As clients get it: in full, and without what only a key with `posts:publish` reads. */
  listed: { full: object; forDrafts: object }
}

/** Builds the tools, and returns a function that gives each request those of its API key. */
export function createToolboxes(app: FastifyInstance): (request: FastifyRequest, args: unknown) => Toolbox {
  const tools = TOOLS.map(buildTool)
  /** By the names of the tools. Rights are sets of scopes, of which few are in use. */
  const lists = new LRUCache<string, string>({ max: LISTS_MAX })
  return (request, args) => {
    const { rights } = request
    const canPublish = hasScope(rights, 'posts:publish')
    const usable = tools.filter((tool) => isUsable(tool, rights))
    return {
      instructions: instructionsFor(canPublish),
      list() {
        const names = [canPublish, ...usable.map(({ name }) => name)].join()
        const known = lists.get(names)
        if (known !== undefined) return known
        const list = JSON.stringify(usable.map(({ listed }) => (canPublish ? listed.full : listed.forDrafts)))
        lists.set(names, list)
        return list
      },
      call: (name) => {
        const tool = usable.find((tool) => tool.name === name)
        return tool && callTool(app, request, tool, args, canPublish)
      },
    }
  }
}

const isUsable = ({ operation: { scope, takesAccountLists } }: ToolDefinition, rights: KeyRights): boolean =>
  (scope === null || hasScope(rights, scope)) && (rights.accountIds === null || takesAccountLists === true)

/** The properties that mean nothing to a key without `posts:publish`. */
const PUBLISHING = new Set(
  'confirm scheduledAt scheduledAtLocal timeZone fold schedule slots shift allowPast defaultFields captionSuffix paused'.split(
    ' ',
  ),
)

/** The effect of a call that has to be confirmed. */
const effectOf = ({ operation: { tool } }: ToolDefinition) => `The call ${tool.confirms ?? 'publishes now'}`

const confirmOf = (definition: ToolDefinition) =>
  Confirm(
    `Required to be \`true\`. ${effectOf(definition)}: only after the person you work for has agreed to exactly that.`,
  )

function buildTool(definition: ToolDefinition): Tool {
  const { name, hints, operation, output, ownArguments = {} } = definition
  const { params, querystring, body } = operation.schema
  const schemas = [params, querystring, body && componentOf(String(body.$ref))]
  const confirm = takesConfirm(definition) ? { confirm: confirmOf(definition) } : {}
  const properties: TProperties = Object.assign({}, ...schemas.map(propertiesOf), confirm, ownArguments)
  const required = schemas.flatMap((schema) => schema?.required ?? []) as string[]
  const outputSchema = toOutputSchema(output, { describe: () => undefined })
  const list = ({ title, description }: Pick<ToolFacts, 'title' | 'description'>) => ({
    name,
    title,
    description,
    inputSchema: toInputSchema(properties, required, { describe: nameTools }),
    outputSchema,
    annotations: { title, ...hints },
  })
  return {
    ...definition,
    validate: compile(properties),
    listed: {
      full: list(operation.tool),
      forDrafts: withoutNames(list(operation.tool.forDrafts ?? operation.tool), PUBLISHING) as object,
    },
  }
}

/** Descriptions of the API name operations. An agent knows tools. */
const nameTools = (text: string): string =>
  text.replaceAll(/`([a-z]+[A-Z]\w*)`/g, (quoted, operationId: string) => {
    const tool = TOOLS.find(({ operation }) => operation.schema.operationId === operationId)
    return tool ? `\`${tool.name}\`` : quoted
  })

/** The arguments are checked as the JSON body of a request, those of the path and of the query included. */
const compile = (properties: TProperties): Validator =>
  validatorCompiler({
    schema: Type.Object(properties, { additionalProperties: false }),
    method: 'POST',
    url: '/mcp',
    httpPart: 'body',
  }) as Validator

async function callTool(
  app: FastifyInstance,
  request: FastifyRequest,
  tool: Tool,
  given: unknown,
  canPublish: boolean,
): Promise<object> {
  const startedAt = performance.now()
  const result = await (async () => {
    requireStorable(given)
    const args = { ...(given as Arguments | undefined) }
    const { error } = tool.validate(args)
    if (error) throw error
    return runTool(tool, apiOf(app, request), args, { canPublish })
  })().catch((error: unknown) => toProblem(error, request.log, request.id))
  const problem = 'status' in result ? result : undefined
  const { id: reqId, userId, keyId } = request
  const ms = Math.round(performance.now() - startedAt)
  request.log.info(
    { reqId, userId, keyId, tool: tool.name, status: problem?.status, errorCode: problem?.code, ms },
    'tool',
  )
  return problem ? toErrorResult(problem) : toResult(result as Exclude<typeof result, ToolProblem>)
}

async function runTool(tool: Tool, api: Api, { confirm, ...args }: Arguments, rights: { canPublish: boolean }) {
  // A key that may not publish is offered no `confirm`: the operation itself returns 403 for all that would publish.
  if (!takesConfirm(tool) || confirm === true || !rights.canPublish) return tool.run(api, args, rights)
  if (!tool.unconfirmed) throw confirmationRequired(effectOf(tool))
  return tool.unconfirmed(api, args, rights)
}

function toProblem(error: unknown, log: FastifyBaseLogger, reqId: string): ToolProblem {
  if (error instanceof ToolError) return error.problem
  if (error instanceof AppError) return toToolError(error).problem
  log.error({ reqId, err: error }, 'tool failed')
  return { status: 500, code: 'internal_error', error: ERRORS.internal_error.message }
}

/** The JSON is there twice, because older clients read texts only. */
const toResult = ({ body, text }: { body: object; text: string }) => ({
  content: [
    { type: 'text', text },
    { type: 'text', text: JSON.stringify(body) },
  ],
  structuredContent: body,
})

/** It has no structured content: older clients compare that with the output schema, even in an error. */
const toErrorResult = (problem: ToolProblem) => ({
  isError: true,
  content: [
    { type: 'text', text: describeProblem(problem) },
    { type: 'text', text: JSON.stringify(problem) },
  ],
})
