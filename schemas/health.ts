import { type Static, Type } from '@sinclair/typebox'

export const Health = Type.Object({ status: Type.Literal('ok') })
export type Health = Static<typeof Health>
