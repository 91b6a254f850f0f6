/**
 * Whether a text can be one segment of a path: URLs resolve `.` and `..`, and an empty segment leads to another route.
 */
export const isPathSegment = (text: unknown): text is string => typeof text === 'string' && !/^\.{0,2}$/.test(text)

/** A path, or a function that encodes its ids. */
export type Path = string | (() => string)

/**
 * A path with ids. The function throws a TypeError for an id that would lead to another path. The request calls it, and
 * its promise is then rejected.
 */
export const path = (texts: TemplateStringsArray, ...ids: string[]): Path => {
  const toSegment = (id: string) => {
    if (!isPathSegment(id)) throw new TypeError(`${JSON.stringify(id)} is not an id`)
    return encodeURIComponent(id)
  }
  return () => texts.reduce((before, text, index) => before + toSegment(ids[index - 1]!) + text)
}
