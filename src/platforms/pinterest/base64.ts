import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { PublishedFile } from '../contract/adapter.ts'
import { contentOf, StreamedBody } from '../wire/request-body.ts'

/**
 * A JSON body that contains files in base64, streamed with its length known. `build` gets a text to put in the place of
 * each file, in their order.
 */
export function jsonWithFiles(files: readonly PublishedFile[], build: (places: string[]) => object): StreamedBody {
  const place = randomUUID()
  const [first = '', ...others] = JSON.stringify(build(files.map(() => place))).split(place)
  const parts = others.flatMap((text, index) => [inBase64(files[index]!), Buffer.from(text)])
  return new StreamedBody('application/json', [Buffer.from(first), ...parts])
}

/** The same file, whose content is its base64. */
const inBase64 = (file: PublishedFile): PublishedFile => ({
  ...file,
  bytes: 4 * Math.ceil(file.bytes / 3),
  open: async () => Readable.from(encode(file)),
})

async function* encode(file: PublishedFile): AsyncGenerator<Buffer> {
  // Three bytes become four characters.
  let rest: Uint8Array = Buffer.alloc(0)
  for await (const chunk of contentOf(file)) {
    const bytes = Buffer.concat([rest, chunk])
    const whole = bytes.length - (bytes.length % 3)
    rest = bytes.subarray(whole)
    yield Buffer.from(bytes.toString('base64', 0, whole))
  }
  yield Buffer.from(Buffer.from(rest).toString('base64'))
}
