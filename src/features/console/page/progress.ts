import { sentences } from './language.ts'

/** A `fetch` for uploads, which tells the share of the body that was sent. That of browsers does not. */
export const fetchWithProgress =
  (onProgress: (share: number) => void): typeof fetch =>
  (input, init = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(init.method ?? 'POST', String(input))
      const headers = new Headers(init.headers)
      for (const [name, value] of headers) request.setRequestHeader(name, value)
      // A large file is sent to an address, and may go on in the middle.
      const [, first = 0, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
      if (init.body instanceof Blob) {
        request.upload.onprogress = ({ loaded, total }) => onProgress((Number(first) + loaded) / Number(size ?? total))
      }
      request.onload = () => {
        const lines = request.getAllResponseHeaders().trim().split('\r\n')
        const headers = new Headers(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]))
        resolve(new Response(request.responseText, { status: request.status, headers }))
      }
      request.onerror = () => reject(new TypeError(sentences.problems.connectionLost))
      init.signal?.addEventListener('abort', () => request.abort())
      request.onabort = () => reject(init.signal?.reason)
      request.send(init.body as Blob)
    })
