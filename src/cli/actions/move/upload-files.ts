import { OperatorError } from '../../../base/errors.ts'
import type { Postroom } from '../../../clients/sdk/index.ts'
import { fileNameOf } from '../../../features/media/file-name.ts'
import { request } from './request.ts'
import type { SourceFile } from './source-post.ts'

interface Uploaded {
  mediaIds: string[]
  /** The texts of files that were stored before with others, by id. */
  altTexts: Record<string, string>
}

/** Stores the files. The service itself would fetch no private address. */
export async function uploadFiles(client: Postroom, files: SourceFile[]): Promise<Uploaded> {
  const mediaIds: string[] = []
  const altTexts: Record<string, string> = {}
  for (const { url, altText } of files) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new OperatorError(`media: ${url} is not an address`)
    let response: Response | undefined = await download(url)
    let broken: OperatorError | undefined
    const open = async () => {
      const { body } = response ?? (await download(url))
      response = undefined
      return read(body ?? [], (error) => {
        broken = new OperatorError(`media: ${url} was not complete (${error.message})`)
      })
    }
    const fileName = fileNameOf(url) ?? 'file'
    const media = await client.uploads.create(open, { fileName, ...(altText && { altText }) }).catch((error) => {
      throw broken ?? error
    })
    mediaIds.push(media.id)
    if (altText && media.altText !== altText) altTexts[media.id] = altText
  }
  return { mediaIds, altTexts }
}

/** The failed request for the upload does not tell that its source has failed. */
async function* read(source: AsyncIterable<Uint8Array> | Uint8Array[], onError: (error: Error) => void) {
  try {
    yield* source
  } catch (error) {
    onError(error as Error)
    throw error
  }
}

async function download(url: string): Promise<Response> {
  const failure = `media: ${url} cannot be fetched`
  const response = await request(failure, url)
  if (!response.ok) throw new OperatorError(`${failure} (status ${response.status})`)
  return response
}
