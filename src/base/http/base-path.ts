/** The path of PUBLIC_URL, without a slash at its end: `/postroom` of `https://example.com/postroom`. */
export const basePathOf = (publicUrl: string): string => publicUrl.replace(/^https?:\/\/[^/]+/, '')

/**
 * The address of a document about `publicUrl`, or about a path below it. The path comes after the name of the document:
 * https://www.rfc-editor.org/rfc/rfc8414#section-3.1, https://www.rfc-editor.org/rfc/rfc9728#section-3.1
 */
export function wellKnownAddress(publicUrl: string, name: string, path: string): string {
  const basePath = basePathOf(publicUrl)
  return `${publicUrl.slice(0, publicUrl.length - basePath.length)}/.well-known/${name}${basePath}${path}`
}

/**
 * The URL of a request without the path of PUBLIC_URL, which some proxies leave there. `roots` are the
 * first segments of the service's own paths: behind a proxy that removes the path, `/api` may be both.
 */
export function withoutBasePath(basePath: string, url: string, roots: ReadonlySet<string>): string {
  if (basePath === '') return url
  const [wellKnown = ''] = /^\/\.well-known\/[^/?]+/.exec(url) ?? []
  const path = url.slice(wellKnown.length)
  if (!path.startsWith(basePath)) return url
  const rest = path.slice(basePath.length)
  const isBelow = wellKnown === '' ? roots.has(/^\/([^/?]+)/.exec(rest)?.[1] ?? '') : /^(?:$|[/?])/.test(rest)
  return isBelow ? `${wellKnown}${rest}` : url
}
