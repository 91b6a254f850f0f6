import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { FOLDED_TEXTS, PROFILE_PICTURES } from '../contract/appearance-sources.ts'

// Facebook chooses a layout by the shape of the first image. This is the one for squares.
export const facebookAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: false,
  fold: {
    charactersMax: 110,
    source: FOLDED_TEXTS,
  },
  images: {
    form: 'grid',
    shownMax: 5,
    gridRatios: [2, 1, 1],
    source: {
      url: 'https://blog.aitoearn.ai/facebook-multi-image-post-size-guide',
      confidence: 'assumed',
      version: '2024',
      seenAt: '2026-11-30',
    },
  },
  source: PROFILE_PICTURES,
}
