import { type Static, Type } from '@sinclair/typebox'

export const Health = Type.Object({ status: Type.Literal('ok') })
/** The health of a process that serves. */
export const Liveness = Type.Object({ status: Type.Literal('ok'), version: Type.String() })
export type Health = Static<typeof Health>
