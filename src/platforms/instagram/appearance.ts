import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { FOLDED_TEXTS, PROFILE_PICTURES } from '../contract/appearance-sources.ts'

export const instagramAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: true,
  fold: {
    charactersMax: 125,
    source: FOLDED_TEXTS,
  },
  images: {
    form: 'row',
    firstSetsRatio: true,
    source: {
      url: 'https://docs.postsyncer.com/platforms/instagram',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  profileTile: {
    ratio: 0.75,
    source: {
      url: 'https://pictuary.com/glossary/profile-grid',
      confidence: 'assumed',
      version: '2025',
      seenAt: '2026-11-30',
    },
  },
  source: PROFILE_PICTURES,
}
