import type { ImportMedia } from './types.ts'

/** The bytes of a file. Streams of the web and of Node are AsyncIterables. */
export type FileContent = Blob | ArrayBuffer | Uint8Array | AsyncIterable<Uint8Array>

/** A stream can be read only once. A function that opens it allows retries. */
export type FileSource = FileContent | (() => FileContent | Promise<FileContent>)

/** `fileName` is by default the name of a `File`. */
export type FileDescription = Omit<ImportMedia, 'url'> & { fileName?: string }

const isStream = (file: FileSource): file is AsyncIterable<Uint8Array> => Symbol.asyncIterator in file

/** A multipart form: https://www.rfc-editor.org/rfc/rfc7578 */
export class Form {
  readonly type: string
  readonly open: () => Promise<Blob | ReadableStream<Uint8Array>>
  readonly canReopen: boolean

  constructor(file: FileSource, { fileName, metadata, ...texts }: FileDescription = {}) {
    const boundary = `postroom-${[Math.random(), Math.random()].map((part) => part.toString(36).slice(2)).join('')}`
    const begin = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"`
    const parts = Object.entries({ ...texts, metadata: metadata && JSON.stringify(metadata) })
      .filter(([, text]) => text !== undefined)
      .map(([name, text]) => `${begin(name)}\r\n\r\n${text}\r\n`)
    this.type = `multipart/form-data; boundary=${boundary}`
    this.canReopen = !isStream(file)
    this.open = async () => {
      const content = typeof file === 'function' ? await file() : file
      const name = escapeName(fileName ?? (content as Partial<File>).name ?? 'file')
      const header = `${begin('file')}; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`
      const head = `${parts.join('')}${header}`
      const tail = `\r\n--${boundary}--\r\n`
      return isStream(content) ? toStream(join(head, content, tail)) : new Blob([head, content as Blob, tail])
    }
  }
}

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const escapeName = (name: string) => name.replace(/[\n\r"]/g, encodeURIComponent)

async function* join(head: string, content: AsyncIterable<Uint8Array>, tail: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(head)
  yield* content
  yield new TextEncoder().encode(tail)
}

/** Node 18 lacks ReadableStream.from. */
const toStream = (chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await chunks.return(undefined)),
  })
