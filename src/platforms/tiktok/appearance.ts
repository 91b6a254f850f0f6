import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { PROFILE_PICTURES } from '../contract/appearance-sources.ts'

export const tiktokAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: true,
  fold: {
    charactersMax: 150,
    source: {
      url: 'https://toolshake.xyz/tool/caption-character-counter/',
      confidence: 'cross-checked',
      version: '2026-04-18',
      seenAt: '2026-11-30',
    },
  },
  images: {
    form: 'row',
    source: {
      url: 'https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  source: PROFILE_PICTURES,
}
