import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { FOLDED_TEXTS, PROFILE_PICTURES } from '../contract/appearance-sources.ts'

export const threadsAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: false,
  fold: {
    charactersMax: 250,
    source: FOLDED_TEXTS,
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
  source: PROFILE_PICTURES,
}
