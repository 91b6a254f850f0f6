import { isDeepStrictEqual } from 'node:util'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { parseJson } from '../../src/platforms/wire/json.ts'

// Bodies that a proxy in front of a network may send with status 200. None of them is an answer of the network: the
// call is made again later, or its result does not depend on the body.

/** Bodies that answer no call. */
const ODD = ['<html>Log in</html>', '', 'null', '[]', '[{}]', '{}', '"ok"', '{"data":{"id":{}},"id":{}}']

export const EMPTY = 'an empty body'

type Key = string | number

/** The paths to all values in a response. The items of a list are alike. */
function pathsIn(json: unknown): Key[][] {
  if (typeof json !== 'object' || json === null) return []
  const entries: [Key, unknown][] = Array.isArray(json)
    ? json.slice(0, 1).map((item) => [0, item])
    : Object.entries(json)
  return entries.flatMap(([key, value]) => [
    ...(value === null ? [] : [[key]]),
    ...pathsIn(value).map((path) => [key, ...path]),
  ])
}

/** The same with a value of another type at a path. */
function withOtherType(json: unknown, [key, ...path]: Key[]): unknown {
  if (key === undefined) return typeof json === 'object' ? 'odd' : { odd: true }
  if (typeof json !== 'object' || json === null) return json
  const replaced = withOtherType((json as Record<Key, unknown>)[key], path)
  return Array.isArray(json) ? json.with(key as number, replaced) : { ...json, [key]: replaced }
}

/** A response in place of the one to a call. */
interface OddResponse {
  name: string
  /** `real` makes the call. */
  textOf(real: () => Promise<Response>): Promise<string>
}

const oddResponsesTo = (text: string): OddResponse[] => [
  ...ODD.map((odd) => ({ name: odd || EMPTY, textOf: async () => odd })),
  ...pathsIn(parseJson(text)).map((path) => ({
    name: `another type at ${path.join('.')}`,
    textOf: async (real: () => Promise<Response>) =>
      JSON.stringify(withOtherType(parseJson(await (await real()).text()), path)),
  })),
]

/** Ids differ from run to run. */
const nameOf = (...[input, init]: Parameters<typeof fetch>) =>
  `${init?.method ?? 'GET'} ${new URL(String(input)).pathname.replaceAll(/[^/]*\d{3}[^/]*/g, 'ID')}`

/** One use of an adapter, which can be repeated. */
export interface Operation {
  name: string
  /** Returns what the caller learns. */
  run(fetch: typeof globalThis.fetch): Promise<unknown>
  /** Whether the caller may learn this in spite of an odd response. */
  mayLearn?(learned: unknown, wanted: unknown): boolean
}

const isNoAnswer = (error: unknown) => error instanceof PublishError && error.retryable && !error.needsAttention

/**
 * Repeats an operation with each odd response in place of the one to each of its calls. Returns the problems.
 * `isOwnResponse`: the network itself sends this body to this call.
 */
export async function tryOddResponses(
  fetch: typeof globalThis.fetch,
  { name, run, mayLearn }: Operation,
  isOwnResponse: (call: string, body: string) => boolean = () => false,
): Promise<string[]> {
  const texts = new Map<string, string>()
  const wanted = await run(async (...request) => {
    const response = await fetch(...request)
    const text = await response.clone().text()
    if (response.ok && !texts.has(nameOf(...request))) texts.set(nameOf(...request), text)
    return response
  })
  const problems: string[] = []
  for (const [call, text] of texts) {
    for (const odd of oddResponsesTo(text)) {
      if (isOwnResponse(call, odd.name)) continue
      const learned = await run(async (...request) => {
        if (nameOf(...request) !== call) return fetch(...request)
        const headers = { 'content-type': 'application/json' }
        return new Response(await odd.textOf(() => fetch(...request)), { headers })
      }).catch((error: unknown) => error)
      if (isNoAnswer(learned) || isDeepStrictEqual(learned, wanted) || mayLearn?.(learned, wanted)) continue
      problems.push(
        `${name}: ${odd.name} to ${call}: ${learned instanceof Error ? learned.stack?.slice(0, 300).replaceAll('\n', ' ') : JSON.stringify(learned)}`,
      )
    }
  }
  return problems
}
