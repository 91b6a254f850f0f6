import type { Act, Sent } from '../contract/adapter.ts'
import { youtubeContent } from './content.ts'

/** People & Blogs, the category of YouTube's own upload page. */
const CATEGORY = '22'

/** The body of videos.insert: https://developers.google.com/youtube/v3/docs/videos/insert#request-body */
export function videoOf(act: Act): object {
  const { fields } = act
  const { defaultLanguage, privacyStatus, madeForKids } = fields
  const { containsSyntheticMedia, embeddable, license } = fields
  return {
    snippet: { ...snippetOf(act), ...(isText(defaultLanguage) && { defaultLanguage }) },
    status: {
      // Left out, it depends on the settings of the channel.
      privacyStatus: isText(privacyStatus) ? privacyStatus : 'public',
      selfDeclaredMadeForKids: madeForKids === true,
      ...(typeof containsSyntheticMedia === 'boolean' && { containsSyntheticMedia }),
      ...(typeof embeddable === 'boolean' && { embeddable }),
      ...(isText(license) && { license }),
    },
  }
}

/** The part of a video that can be edited. */
export function snippetOf(act: Act) {
  const { title, text: description } = youtubeContent(act)
  const { categoryId, tags } = act.fields
  return {
    title,
    description,
    categoryId: isText(categoryId) ? categoryId : CATEGORY,
    ...(Array.isArray(tags) && tags.length > 0 && { tags: tags as readonly unknown[] }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const videoSentOf = (id: string, { postType }: Pick<Act, 'postType'>): Sent => ({
  id,
  url: postType === 'short' ? `https://www.youtube.com/shorts/${id}` : `https://www.youtube.com/watch?v=${id}`,
})
