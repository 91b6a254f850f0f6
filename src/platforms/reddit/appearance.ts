import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { PROFILE_PICTURES } from '../contract/appearance-sources.ts'

export const redditAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: false,
  images: {
    form: 'row',
    source: {
      url: 'https://www.reddit.com/r/modnews/comments/hisodw/image_gallery_support_is_coming_soon/',
      confidence: 'assumed',
      version: '2020-06-30',
      seenAt: '2026-11-30',
    },
  },
  source: PROFILE_PICTURES,
}
