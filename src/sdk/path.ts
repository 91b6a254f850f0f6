/**
 * Whether a text can be one segment of a path: URLs resolve `.` and `..`, and an empty segment leads to another route.
 */
export const isPathSegment = (text: unknown): text is string => typeof text === 'string' && !/^\.{0,2}$/.test(text)

/** A path with its ids encoded. Throws a TypeError for an id that would lead to another path. */
export const path = (texts: TemplateStringsArray, ...ids: string[]): string =>
  texts.reduce((before, text, index) => {
    const id = ids[index - 1]
    if (!isPathSegment(id)) throw new TypeError(`${JSON.stringify(id)} is not an id`)
    return before + encodeURIComponent(id) + text
  })
