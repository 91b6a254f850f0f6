import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import { addressOf } from '../contract/changes.ts'
import type { Io } from '../contract/io.ts'
import { impossible, postGone } from '../contract/publish-error.ts'
import { requireSettled } from '../wire/not-found.ts'
import { facebookContent } from './content.ts'
import { callGraph, isId, isRefusedAsAbsent, isShown, type Page, pageOf, readingPage, SUCCESS } from './graph.ts'

/** Deletes a post, a video or a comment: https://developers.facebook.com/docs/pages-api/posts#delete-a-post */
export async function remove(published: OnNetwork, io: Io): Promise<void> {
  const { id } = published
  const page = readingPage(pageOf(io))
  await orAbsent(page, published, io, () =>
    callGraph(page, io, pathOf(id, page), { method: 'DELETE', visible: true, answer: SUCCESS }),
  )
}

/**
 * https://developers.facebook.com/docs/pages-api/posts#update-a-post, and of a video
 * https://developers.facebook.com/docs/graph-api/reference/video/#Updating
 */
export async function edit(act: Act, published: OnNetwork, io: Io): Promise<Sent> {
  const page = readingPage(pageOf(io))
  const { id, kind } = published
  const { text } = facebookContent(act)
  // The ids of posts and comments have two parts.
  const form = kind === 'comment' || id.includes('_') ? { message: text } : { description: text }
  const body = await orAbsent(page, published, io, () =>
    callGraph(page, io, pathOf(id, page), { form, visible: true, answer: SUCCESS }),
  )
  if (body === undefined) throw postGone(page.host)
  return addressOf(published)
}

function pathOf(id: string, page: Page): string {
  if (!isId(id)) throw impossible(`${page.host}: ${id} is not the id of a post`)
  return id
}

/**
 * The result of a change, or undefined for what is not there. Facebook has the same error for what a Page may not
 * change, so it is read.
 */
async function orAbsent(page: Page, published: OnNetwork, io: Io, change: () => Promise<unknown>): Promise<unknown> {
  try {
    return await change()
  } catch (error) {
    if (!isRefusedAsAbsent(error)) throw error
    requireSettled(page.host, published)
    if (!(await isShown(page, published.id, io))) return undefined
    throw impossible(error.message)
  }
}
