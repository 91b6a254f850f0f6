import { Ajv } from 'ajv'
import { envSchema } from 'env-schema'
import { ConfigError, FORMATS } from './formats.ts'
import { VARIABLES, type Variables } from './variables.ts'

type VariableSchema = {
  type?: 'string' | 'integer'
  format?: string
  enum?: string[]
  minimum?: number
  maximum?: number
  writeOnly?: boolean
}

const SCHEMAS = VARIABLES.properties as Record<string, VariableSchema>

const createAjv = () =>
  new Ajv({
    useDefaults: true,
    formats: Object.fromEntries(Object.entries(FORMATS).map(([name, { isValid }]) => [name, isValid])),
  })

/**
 * Checks the variables against their schema. An empty value counts as unset. Throws a ConfigError that names the
 * variable.
 */
export function readVariables(env: Record<string, string | undefined>): Variables {
  const set = Object.entries(env).filter(([name, text]) => text && Object.hasOwn(SCHEMAS, name)) as [string, string][]
  const data = Object.fromEntries(set.map(([name, text]) => [name, parsed(name, text)]))
  try {
    return envSchema<Variables>({ schema: VARIABLES, data, env: false, ajv: createAjv() })
  } catch (error) {
    throw explain(error as Error & { errors?: { instancePath: string }[] }, env)
  }
}

/** Ajv's own coercion would read "1e3" and "0x10" as integers. */
function parsed(name: string, text: string): string | number {
  return SCHEMAS[name]?.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text
}

function explain(
  error: Error & { errors?: { instancePath: string }[] },
  env: Record<string, string | undefined>,
): Error {
  const name = error.errors?.[0]?.instancePath.slice(1)
  const schema = name ? SCHEMAS[name] : undefined
  if (!name || !schema) return error
  const quotation = schema.writeOnly ? '' : `, not "${env[name]}"`
  return new ConfigError(`${name} must ${requirementOf(schema)}${quotation}${originOf(env[name]!)}`)
}

/** https://kubernetes.io/docs/tutorials/services/connect-applications-service/#environment-variables */
const originOf = (text: string): string =>
  /^(?:tcp|udp|sctp):\/\//.test(text)
    ? '. Kubernetes has set it for a Service: set enableServiceLinks to false in the spec of the pod'
    : ''

function requirementOf({ type, format, enum: values, minimum, maximum }: VariableSchema): string {
  if (type === 'integer') return `be a whole number from ${minimum} to ${maximum}`
  if (values) return `be one of ${values.join(', ')}`
  return FORMATS[format ?? '']?.requirement ?? 'be a text'
}
