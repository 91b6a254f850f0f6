import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'

export const googleBusinessAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: true,
  fold: {
    charactersMax: 250,
    source: {
      url: 'https://advancedcharactercounter.com/google-business-profile-post-character-limit-guide-2026/',
      confidence: 'cross-checked',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  images: {
    form: 'row',
    ratioMin: 1.333,
    ratioMax: 1.333,
    source: {
      url: 'https://support.digitalbullgo.com/knowledge-base/posts/',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  source: {
    url: 'https://toolswallet.dev/blog/profile-photo-size-requirements',
    confidence: 'cross-checked',
    version: '2025',
    seenAt: '2026-11-30',
  },
}
