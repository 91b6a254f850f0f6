import type { Issue } from '../../../schemas/error.ts'
import { METADATA } from '../../../schemas/references.ts'
import { invalidRequest } from '../errors.ts'
import { parseJson, truncate } from './json.ts'
import { tooLong } from './validation.ts'

export type Metadata = Record<string, string>

/** The names that are too long. The schema cannot tell: for it, they are names like others. */
export const findLongNames = (metadata: Metadata | undefined): Issue[] =>
  Object.keys(metadata ?? {})
    .filter((name) => name.length > METADATA.nameMax)
    .map((name) => ({ ...tooLong(METADATA.nameMax), path: ['metadata', truncate(name)] }))

/** The problems of merged metadata. The schema can only check the changes. */
export function findMetadataIssues(metadata: Metadata | null): Issue[] {
  const { pairsMax } = METADATA
  const count = Object.keys(metadata ?? {}).length
  if (count <= pairsMax) return findLongNames(metadata ?? undefined)
  const message = `There would be ${count} pairs: at most ${pairsMax} are allowed`
  return [{ code: 'too_big', type: 'object', maximum: pairsMax, inclusive: true, path: ['metadata'], message }]
}

const NOT_METADATA: Issue = {
  code: 'custom',
  path: ['metadata'],
  message: `Must be a JSON object of at most ${METADATA.pairsMax} texts of at most ${METADATA.valueMax} characters`,
}

/** Reads metadata from the text of a form. Throws 400 if it is not an object of texts. */
export function readMetadata(text: Buffer): Metadata {
  const value = parse(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const texts = isObject ? Object.values(value) : [null]
  const areTexts = texts.every((each) => typeof each === 'string' && each.length <= METADATA.valueMax)
  if (!areTexts || texts.length > METADATA.pairsMax) throw invalidRequest([NOT_METADATA])
  const issues = findLongNames(value as Metadata)
  if (issues.length > 0) throw invalidRequest(issues)
  return value as Metadata
}

function parse(text: Buffer): unknown {
  try {
    return parseJson(text)
  } catch {
    throw invalidRequest([NOT_METADATA])
  }
}
