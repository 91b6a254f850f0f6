import fastJson from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import { componentsOf } from './components.ts'

type Serializer = (body: unknown) => string

/** By the name of a component, or by an inline schema. */
const compiled = new Map<string | object, Serializer>()

/** Compiles each schema once in a process: most operations have the same errors. */
export const serializerCompiler: FastifySerializerCompiler<{ $ref?: string }> = ({ schema }) => {
  const key = schema.$ref ?? schema
  let serializer = compiled.get(key)
  if (!serializer) {
    serializer = compile(schema)
    compiled.set(key, serializer)
  }
  return serializer
}

function compile({ $ref, ...inline }: { $ref?: string }): Serializer {
  const schema = $ref === undefined ? inline : { $ref }
  const components = [...componentsOf(schema)].map((component) => [component.$id!, component])
  return fastJson(schema, { schema: Object.fromEntries(components) })
}
