import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'

export const instagramAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: true,
  fold: {
    charactersMax: 125,
    source: {
      url: 'https://posttruncate.com/en/platform-limits/',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
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
  source: {
    url: 'https://imgkilo.com/guides/profile-picture-size-guide',
    confidence: 'assumed',
    version: '2026-06-23',
    seenAt: '2026-11-30',
  },
}
