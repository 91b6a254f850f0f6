const PAGE = '<html><body>Nothing here</body></html>'

/** A way in which a single call goes wrong. `isMade`: the network carries it out first. */
export interface WrongResponse {
  name: string
  isMade: boolean
  respond(): Response
}

export const WRONG_RESPONSES: readonly WrongResponse[] = [
  { name: 'is lost on its way', isMade: false, respond: lose },
  { name: 'loses its response', isMade: true, respond: lose },
  ...[200, 403, 404, 410, 502].map((status) => ({
    name: `gets ${status} from a proxy`,
    isMade: false,
    respond: () => new Response(PAGE, { status, headers: { 'content-type': 'text/html' } }),
  })),
  { name: 'gets 503 after it was carried out', isMade: true, respond: () => new Response(PAGE, { status: 503 }) },
]

function lose(): never {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) })
}

/** Makes a call that goes wrong. */
export async function callWrongly(
  { isMade, respond }: WrongResponse,
  fetch: typeof globalThis.fetch,
  ...request: Parameters<typeof globalThis.fetch>
): Promise<Response> {
  if (isMade) await (await fetch(...request)).arrayBuffer()
  return respond()
}
