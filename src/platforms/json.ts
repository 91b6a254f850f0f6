/** The value at a path in JSON of unknown shape; undefined where the path leads nowhere. */
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

/** The value of a JSON text; undefined where the text is not JSON. */
export function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
