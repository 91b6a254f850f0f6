import type { TSchema } from '@sinclair/typebox'
import { components } from '../../../schemas/index.ts'

const componentsById = new Map(components.map((component) => [component.$id, component]))

/** Returns the schema itself, or the component that it refers to. */
export const deref = (schema: TSchema): TSchema =>
  schema.$ref === undefined ? schema : componentsById.get(schema.$ref)!

/**
 * Returns the components that the schema refers to, directly or through others. Both compilers take ten times as long
 * if they get all components.
 */
export function componentsOf(schema: unknown, found = new Set<TSchema>()): Set<TSchema> {
  if (typeof schema !== 'object' || schema === null) return found
  for (const [key, value] of Object.entries(schema)) {
    const component = key === '$ref' ? componentsById.get(value) : undefined
    if (!component) componentsOf(value, found)
    else if (!found.has(component)) {
      found.add(component)
      componentsOf(component, found)
    }
  }
  return found
}
