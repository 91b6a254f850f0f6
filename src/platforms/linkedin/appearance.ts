import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'

// Logos of organizations are squares, which no fact of an account tells.
export const linkedinAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: false,
  fold: {
    charactersMax: 140,
    source: {
      url: 'https://posttruncate.com/en/platform-limits/',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
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
  source: {
    url: 'https://imgkilo.com/guides/profile-picture-size-guide',
    confidence: 'assumed',
    version: '2026-06-23',
    seenAt: '2026-11-30',
  },
}
