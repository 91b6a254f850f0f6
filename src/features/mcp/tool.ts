import type { TProperties, TSchema } from '@sinclair/typebox'
import type { ToolHints } from '../../../schemas/operations/define-operation.ts'
import { targetOf } from '../../../schemas/shared.ts'
import type { Api, Arguments, ToolOperation } from './api.ts'

export interface Outcome {
  /** The value that `output` describes. */
  body: object
  /** The outcome in one line, for clients that show nothing else. */
  text: string
}

/** A tool. Its name, texts and hints are in its operation. */
export interface ToolDefinition {
  name: string
  hints: ToolHints
  /** The operation whose parameters and body are the arguments, and whose scope a key needs to see the tool. */
  operation: ToolOperation
  /** Arguments that the operation does not have. */
  ownArguments?: TProperties
  output: TSchema
  run: Run
  /** The effect of a call without the `confirm: true` that the tool takes. By default, it is refused. */
  unconfirmed?: Run
}

type Run = (api: Api, args: Arguments, rights: { canPublish: boolean }) => Promise<Outcome>

/** Whether a tool takes `confirm`, and does what its operation does only with `confirm: true`. */
export const takesConfirm = ({ operation: { scope, conditionalScope, tool } }: ToolDefinition): boolean =>
  [scope, conditionalScope?.scope].includes('posts:publish') && !tool.takesNoConfirm

const successOf = ({ schema }: ToolOperation) => Object.values(schema.response)[0] as { description: string }

/** The tool of an operation, with what it does in place of the operation itself. */
export function toolOf(
  operation: ToolOperation,
  own: Pick<ToolDefinition, 'run'> & Partial<ToolDefinition>,
): ToolDefinition {
  const { method, scope, schema, tool } = operation
  const isRead = method === 'GET' || scope?.endsWith(':read')
  return {
    name: tool.name ?? schema.operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    hints: { ...(isRead ? READS : WRITES), ...tool.hints },
    operation,
    output: targetOf(successOf(operation))!,
    ...own,
  }
}

/** A tool that does what its operation does. Without `toText`, its line is the description of the response. */
export const simpleTool = (
  operation: ToolOperation,
  // biome-ignore lint/suspicious/noExplicitAny: each operation has another body
  toText: (body: any) => string = () => successOf(operation).description,
): ToolDefinition =>
  toolOf(operation, {
    run: async (api, args) => {
      const { body } = await api(operation, args)
      return { body, text: toText(body) }
    },
  })

const READS: ToolHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const WRITES: ToolHints = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true }
