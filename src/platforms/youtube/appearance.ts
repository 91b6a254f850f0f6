import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { PROFILE_PICTURES } from '../contract/appearance-sources.ts'

// A post has no images.
export const youtubeAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: true,
  fold: {
    charactersMax: 100,
    source: {
      url: 'https://lifeandwork.blog/youtube-description-limits-optimizing-your-video-visibility/',
      confidence: 'cross-checked',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  images: {
    form: 'row',
    source: {
      url: 'https://developers.google.com/youtube/v3/docs/videos/insert',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  source: PROFILE_PICTURES,
}
