import type { Act } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { ID, object } from '../wire/answer.ts'
import { callNetwork } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { fileName, multipart } from '../wire/request-body.ts'
import { facebookContent } from './content.ts'
import { GRAPH, isId, type Page } from './graph.ts'

/**
 * Uploads the images of a post as photos that are not published, and returns their ids:
 * https://developers.facebook.com/docs/graph-api/reference/page/photos/. A single image too, so that its id is known
 * before it is published.
 */
export async function uploadPhotos(page: Page, act: Act, io: Io): Promise<string[]> {
  const ids: string[] = []
  const { altTexts } = facebookContent(act)
  for (const [index, file] of act.media.entries()) {
    const altText = altTexts[index]
    const form = { published: 'false', ...(altText && { alt_text_custom: altText }) }
    const { body } = await callNetwork(page, io, `${GRAPH}/${page.id}/photos`, {
      method: 'POST',
      headers: page.headers,
      body: multipart(form, [{ field: 'source', name: fileName(file, index), file }]),
      answer: object({ id: ID }),
    })
    const id = textAt(body, 'id')
    if (!isId(id)) throw unexpected(page.host, false)
    ids.push(id)
  }
  return ids
}
