/** The value at a path in JSON of unknown shape; undefined if the path leads nowhere. */
export function at(json: unknown, ...path: (string | number)[]): unknown {
  let value = json
  for (const key of path) value = (value as Record<string | number, unknown> | null | undefined)?.[key]
  return value
}

/** The text or number at a path, as text. Ids are strings on Mastodon and Discord, numbers on Telegram. */
export function textAt(json: unknown, ...path: (string | number)[]): string | undefined {
  const value = at(json, ...path)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** The value of a JSON text; undefined if the text is not JSON. Integers above 2^53, which are ids, stay texts. */
export function parseJson(text: string | undefined): unknown {
  try {
    return text && /\d{16}/.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

const keepExact = (_key: string, value: unknown, context?: { source?: string }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? (context?.source ?? value) : value
