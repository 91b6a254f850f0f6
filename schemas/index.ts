import type { TSchema } from '@sinclair/typebox'
import { ErrorCode } from './error.ts'
import * as operations from './operations/index.ts'
import { Ref, targetOf } from './shared.ts'

/** Every named schema that an operation reaches, or a header. Each becomes a component of the OpenAPI document. */
export const components: TSchema[] = collect([operations, Ref(ErrorCode)])

function collect(roots: object): TSchema[] {
  const found = new Map<string, TSchema>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const target = targetOf(value)
    const known = target && found.get(target.$id!)
    if (known && known !== target) throw new Error(`Two schemas are named ${target.$id}`)
    if (target && !known) {
      found.set(target.$id!, target)
      visit(target)
    }
    for (const part of Object.values(value)) visit(part)
  }
  visit(roots)
  return [...found.values()].toSorted((a, b) => (a.$id! < b.$id! ? -1 : 1))
}
