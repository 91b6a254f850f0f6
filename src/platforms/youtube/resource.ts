import type { Act, Sent } from '../contract/adapter.ts'
import { deriveTitle } from '../rules/title.ts'
import { youtube } from './limits.ts'

/** People & Blogs, the category of YouTube's own upload page. */
const CATEGORY = '22'

/** The body of videos.insert: https://developers.google.com/youtube/v3/docs/videos/insert#request-body */
export function videoOf({ text, fields }: Act): object {
  const { categoryId, tags, defaultLanguage, privacyStatus, madeForKids } = fields
  const { containsSyntheticMedia, embeddable, license } = fields
  return {
    snippet: {
      title: titleOf(text, fields),
      description: text,
      categoryId: isText(categoryId) ? categoryId : CATEGORY,
      ...(Array.isArray(tags) && tags.length > 0 && { tags }),
      ...(isText(defaultLanguage) && { defaultLanguage }),
    },
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

export function titleOf(text: string, { title }: Act['fields']): string {
  return isText(title) && title.trim() !== '' ? title : deriveTitle(text, youtube.title!)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const videoSentOf = (id: string, { postType }: Pick<Act, 'postType'>): Sent => ({
  id,
  url: postType === 'short' ? `https://www.youtube.com/shorts/${id}` : `https://www.youtube.com/watch?v=${id}`,
})
