import { OperatorError } from '../../../errors.ts'
import { fileNameOf } from '../../../media/file-name.ts'
import type { Postroom } from '../../../sdk/index.ts'
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
    const open = async () => {
      const { body } = response ?? (await download(url))
      response = undefined
      return body ?? new Uint8Array()
    }
    const fileName = fileNameOf(url) ?? 'file'
    const media = await client.uploads.create(open, { fileName, ...(altText && { altText }) })
    mediaIds.push(media.id)
    if (altText && media.altText !== altText) altTexts[media.id] = altText
  }
  return { mediaIds, altTexts }
}

async function download(url: string): Promise<Response> {
  const failure = `media: ${url} cannot be fetched`
  const response = await request(failure, url)
  if (!response.ok) throw new OperatorError(`${failure} (status ${response.status})`)
  return response
}
