import { OperatorError } from '../../../base/errors.ts'

/** Refuses a reference that an earlier post of the run has: one of the two would be taken for created. */
export function createReferences() {
  const sources = new Map<string, string>()
  return (reference: string, source: string): void => {
    const first = sources.get(reference)
    if (first !== undefined) throw new OperatorError(`externalReference is that of ${first} too`)
    sources.set(reference, source)
  }
}
