type Listener = (share: number) => void

let listener: Listener | undefined

/** Tells `onProgress` the share of a file that was sent, while `upload` runs. */
export async function withProgress<T>(onProgress: Listener, upload: () => Promise<T>): Promise<T> {
  listener = onProgress
  try {
    return await upload()
  } finally {
    listener = undefined
  }
}

/** The `fetch` of the client. That of browsers does not say how much of a body was sent. */
export const fetchWithProgress: typeof fetch = (input, init) => {
  const onProgress = listener
  if (!onProgress || !(init?.body instanceof Blob)) return fetch(input, init)
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(init.method ?? 'POST', String(input))
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onload = () => {
      const lines = request.getAllResponseHeaders().trim().split('\r\n')
      const headers = new Headers(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]))
      resolve(new Response(request.responseText, { status: request.status, headers }))
    }
    request.onerror = () => reject(new TypeError('The connection was lost'))
    init.signal?.addEventListener('abort', () => request.abort())
    request.onabort = () => reject(init.signal?.reason)
    request.send(init.body as Blob)
  })
}
