import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/**
 * The body that a successful response of the network has, as far as it is used. A proxy in front of the network sends
 * others with the same status, which say nothing. `status`: the call is successful by its status or its headers, and
 * its body may be empty, but no page. `anything`: the host is a storage, or any web server.
 */
export type Answer = TSchema | 'status' | 'anything'

/** Whether a body is one. `body` is undefined for a text that is not JSON. */
export function isAnswer(answer: Answer, body: unknown, text: string): boolean {
  if (answer === 'anything') return true
  const isPage = body === undefined && text.trim() !== ''
  return !isPage && (answer === 'status' || Value.Check(answer, body))
}

export const TEXT = Type.String()

export const NUMBER = Type.Number()

export const FLAG = Type.Boolean()

/** Ids are texts on some networks, and numbers on others. */
export const ID = Type.Union([Type.String({ minLength: 1 }), Type.Number()])

/** Networks leave a value out, or send null. */
export const optional = <T extends TSchema>(value: T) => Type.Optional(Type.Union([value, Type.Null()]))

/** An object with these values, among others. */
export const object = (values: TProperties = {}) => Type.Object(values)

export const list = (item: TSchema = object()) => Type.Array(item)

/** The body, or none. */
export const orNothing = (answer: TSchema) => Type.Union([Type.Undefined(), answer])

export const literal = Type.Literal

export const either = (...answers: TSchema[]) => Type.Union(answers)
