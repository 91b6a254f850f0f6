import type { FastifyInstance } from 'fastify'
import { basePathOf, withoutBasePath } from './base-path.ts'
import { once } from './constant.ts'
import { findNear } from './near-names.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route only responds that its path does not have the method. */
    refusesMethod?: true
  }
  interface FastifyInstance {
    paths: Paths
  }
}

interface Path {
  segments: string[]
  methods: string[]
}

/** The paths of the service, for requests that match none of its routes. */
interface Paths {
  /** The path of PUBLIC_URL, before the service's own paths. */
  readonly base: string
  /** The URL of a request as the router knows it: below the path of PUBLIC_URL, and without a slash at its end. */
  rewrite(method: string, url: string): string
  /** Whether a path has a method. */
  has(method: string, path: string): boolean
  /** The methods of a path, with or without a slash at its end; none if it is unknown. */
  methodsOf(path: string): string[]
  /** The path that an unknown one was probably meant to be, as the document writes it. */
  findNearest(path: string): string | undefined
}

const segmentsOf = (path: string) => path.split('/').slice(1)
const isParameter = (segment: string) => segment.startsWith(':')
const withoutSlash = (path: string) => (path.endsWith('/') ? path.slice(0, -1) : path)

/** Collects the paths of all routes that are registered from now on. */
export function collectPaths(app: FastifyInstance, publicUrl: () => string): Paths {
  // A service without PUBLIC_URL knows its address once it listens.
  const basePath = once(() => basePathOf(publicUrl()))
  const paths = new Map<string, Path>()
  const roots = new Set<string>()
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    roots.add(segmentsOf(url)[0]!)
    if (url.includes('*') || config?.refusesMethod) return
    const segments = segmentsOf(url)
    // Pages for browsers, which nobody types: a link of a connection is a secret.
    if (schema?.hide === true && segments.length > 1) return
    const path = paths.get(url) ?? { segments, methods: [] }
    path.methods = [...new Set([...path.methods, ...[method].flat()])].sort()
    paths.set(url, path)
  })

  /** A fixed name takes precedence over a parameter, as in the router. */
  function find(url: string): Path | undefined {
    const segments = segmentsOf(url)
    const matches = [...paths.values()].filter(
      (path) =>
        path.segments.length === segments.length &&
        path.segments.every((segment, index) => (isParameter(segment) ? segments[index] : segment === segments[index])),
    )
    return paths.get(url) ?? matches[0]
  }

  return {
    get base() {
      return basePath()
    },
    rewrite(method, url) {
      return withoutTrailingSlash(this, method, withoutBasePath(basePath(), url, roots))
    },
    has: (method, path) => find(path)?.methods.includes(method) ?? false,
    methodsOf: (path) => find(path)?.methods ?? find(withoutSlash(path))?.methods ?? [],
    findNearest: (path) => findNearest([...paths.values()], path),
  }
}

/** No path of the service has as many, with or without a prefix. */
const SEGMENTS_MAX = 12

/** Segments that a client may leave out, or write otherwise: `/posts`, `/v1/posts`, `/api/v2/posts`. */
const isPrefix = (segment: string) => segment === 'api' || /^v\d$/.test(segment)

const withoutPrefix = (segments: string[]) => {
  const start = segments.findIndex((segment) => !isPrefix(segment))
  return start < 0 ? [] : segments.slice(start)
}

function findNearest(paths: Path[], unknown: string): string | undefined {
  const named = paths.map(({ segments }) => ({ segments, tail: withoutPrefix(segments) }))
  const words = [...new Set(named.flatMap(({ tail }) => tail.filter((segment) => segment && !isParameter(segment))))]
  const sent = unknown.toLowerCase().split('/').filter(Boolean)
  if (sent.length > SEGMENTS_MAX) return undefined
  const meant = withoutPrefix(sent).map((segment) => findNear(segment, words) ?? segment)
  const ranked = named
    .map(({ segments, tail }) => {
      const differs = tail.findIndex(
        (segment, index) => segment !== meant[index] && !(isParameter(segment) && meant[index]),
      )
      const matched = differs < 0 ? tail.length : differs
      return { segments, matched, missing: tail.length - matched, extra: meant.length - matched }
    })
    // The first segment names what the path is about.
    .filter(({ matched }) => matched > 0)
    .sort((a, b) => b.matched - a.matched || a.missing - b.missing || a.extra - b.extra)
  return ranked[0] && `/${ranked[0].segments.join('/').replace(/:(\w+)/g, '{$1}')}`
}

/**
 * The URL of a request without the slash at the end of its path, if the path exists without it only. `/posts/` with a
 * method of `/posts/:id` stays as it is: its id is empty.
 */
function withoutTrailingSlash(paths: Paths, method: string, url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  if (!path.endsWith('/') || path.length === 1 || paths.has(method, path)) return url
  return paths.has(method, withoutSlash(path)) ? withoutSlash(path) + url.slice(path.length) : url
}
