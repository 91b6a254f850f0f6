import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'

export const threadsAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: false,
  fold: {
    charactersMax: 250,
    source: {
      url: 'https://posttruncate.com/en/platform-limits/',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  images: {
    form: 'row',
    source: {
      url: 'https://techticia.com/2024/09/threads-introduces-20-photo-and-video.html',
      confidence: 'assumed',
      version: '2024-09',
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
