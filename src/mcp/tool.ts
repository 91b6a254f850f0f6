import type { TProperties, TSchema } from '@sinclair/typebox'
import type { Api, Arguments, ToolOperation } from './api.ts'

/** https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export interface Hints {
  readOnlyHint: boolean
  /** Whether it may do more than add something. */
  destructiveHint: boolean
  /** Whether the same call again has no further effect. */
  idempotentHint: boolean
  /** Whether it reaches beyond this service: to a network, or to a server that the agent names. */
  openWorldHint: boolean
}

export interface Outcome {
  /** The value that `output` describes. */
  body: object
  /** The outcome in one line, for clients that show nothing else. */
  text: string
}

export interface ToolDefinition {
  name: string
  title: string
  description: string
  hints: Hints
  /** The operation whose parameters and body are the arguments, and whose scope a key needs to see the tool. */
  operation: ToolOperation
  /** Arguments that the operation does not have. */
  ownArguments?: TProperties
  /** Arguments that only a key with `posts:publish` sees, besides `confirm`. */
  publishArguments?: readonly string[]
  output: TSchema
  run: Run
  /**
   * The effect of a call without `confirm: true`, if the operation may require `posts:publish`. By default, it is
   * refused. `run` is for tools that make nothing public: they take no `confirm`.
   */
  unconfirmed?: Run | 'run'
}

type Run = (api: Api, args: Arguments, rights: { canPublish: boolean }) => Promise<Outcome>

/** Whether a tool takes `confirm`, and does what its operation does only with `confirm: true`. */
export const takesConfirm = ({ operation, unconfirmed }: Pick<ToolDefinition, 'operation' | 'unconfirmed'>): boolean =>
  [operation.scope, operation.conditionalScope?.scope].includes('posts:publish') && unconfirmed !== 'run'

/** A tool that does what its operation does. */
export const simpleTool = (
  tool: Omit<ToolDefinition, 'run'>,
  // biome-ignore lint/suspicious/noExplicitAny: each operation has another body
  toText: (body: any) => string,
): ToolDefinition => ({
  ...tool,
  run: async (api, args) => {
    const { body } = await api(tool.operation, args)
    return { body, text: toText(body) }
  },
})

export const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

export const writes = (hints: Partial<Hints>): Hints => ({
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
  ...hints,
})
