import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OperatorError } from '../../../base/errors.ts'

/** Returns `value` if it has the shape. `source` names it in the error. */
export function readShape<Shape extends TSchema>(shape: Shape, value: unknown, source: string): Static<Shape> {
  const error = Value.Errors(shape, value).First()
  if (error) throw new OperatorError(`${source}: ${error.path || 'the value'} is not as expected: ${error.message}`)
  return value as Static<Shape>
}
