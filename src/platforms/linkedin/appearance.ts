import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { FOLDED_TEXTS, PROFILE_PICTURES } from '../contract/appearance-sources.ts'

// Logos of organizations are squares, which no fact of an account tells.
export const linkedinAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: false,
  fold: {
    charactersMax: 140,
    source: FOLDED_TEXTS,
  },
  images: {
    form: 'grid',
    shownMax: 5,
    gridRatios: [1.91, 1.5],
    source: {
      url: 'https://blog.brandghost.ai/posts/linkedin-image-posts-guide/',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  source: PROFILE_PICTURES,
}
