type Fields = Record<string, unknown>

/** The options after a merge patch of them. Null if none is left. */
export function mergeFields(fields: Fields | null, patch: Fields | null): Fields | null {
  const merged = patch && mergeObject(fields, patch)
  return merged && Object.keys(merged).length > 0 ? merged : null
}

/** https://www.rfc-editor.org/rfc/rfc7396#section-2 */
export function mergeObject(target: unknown, patch: Fields): Fields {
  const merged: Fields = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = isObject(value) ? mergeObject(merged[key], value) : value
  }
  return merged
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
