import type { RouteOptions } from 'fastify'
import type { Message } from './client.ts'

/** The most that the body of a route has, unless it says otherwise. */
const BYTES_MAX = 1024 * 1024

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'
const JSON_TYPES = ['application/json', 'application/merge-patch+json']

/** Repeated, each of these is expensive for a parser, by the type of the body. */
const FILLINGS: Record<string, [name: string, create: (bytes: number) => string][]> = {
  [FORM]: ['a&', 'a=&', '&', '%41&', '%E2%82%AC', '%', '+', '=', 'account=a&', 'signed_request=a.b&'].map((piece) => [
    piece,
    (bytes) => repeat(piece, bytes),
  ]),
  [JSON_TYPES[0]!]: [
    ...['[],', '{},', '0,', '"a",', '1.5,', '[0],', '{"a":0},', '"\\u0041",', '"\\"",'].map(
      (piece): [string, (bytes: number) => string] => [piece, (bytes) => `[${repeat(piece, bytes - 4)}0]`],
    ),
    ['many levels', (bytes) => repeat('[', bytes / 2) + repeat(']', bytes / 2)],
    ['many levels of objects', (bytes) => `${repeat('{"a":', (bytes * 5) / 6)}1${repeat('}', bytes / 6)}`],
    ['levels that do not end', (bytes) => repeat('[', bytes)],
    ['a text that does not end', (bytes) => `"${repeat('\\"', bytes - 1)}`],
  ],
  [MULTIPART]: [
    '\r\n--a',
    '\r\n--a\r\n',
    '--a\r\nContent-Disposition: form-data; name="a"\r\n\r\n',
    '\r\n-',
    'a: b\r\n',
  ].map((piece) => [piece, (bytes) => `--a\r\n${repeat(piece, bytes)}`]),
}

const repeat = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length))

/** Bodies of the allowed length for a route, of the types that it takes. */
export function* bodiesOf({
  url,
  method,
  bodyLimit = BYTES_MAX,
  schema,
}: RouteOptions): Generator<[name: string, message: Message]> {
  if (schema?.body === undefined) return
  const path = url.replaceAll(/:platform/g, 'facebook').replaceAll(/:\w+/g, '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893')
  for (const one of [method].flat()) {
    for (const type of schema.consumes ?? [JSON_TYPES[0]!]) {
      const kind = JSON_TYPES.includes(type) ? JSON_TYPES[0]! : type
      const headers = { 'content-type': type === MULTIPART ? `${MULTIPART}; boundary=a` : type }
      for (const [name, create] of FILLINGS[kind]!) {
        yield [`${one} ${url} with ${name}`, { method: one, path, headers, body: create(bodyLimit) }]
      }
    }
  }
}

/** Whether a route takes no API key. */
export const isOpen = ({ url }: RouteOptions) => !url.startsWith('/api/') && url !== '/mcp'
