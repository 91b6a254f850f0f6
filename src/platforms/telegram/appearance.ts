import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { PROFILE_PICTURES } from '../contract/appearance-sources.ts'

// Telegram fits the places of an album to the shapes of its files.
export const telegramAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: true,
  images: {
    form: 'grid',
    gridRatios: [2, 1.5],
    source: {
      url: 'https://tgchannel.space/faq/sozdat-albom-karusel-telegram',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  source: PROFILE_PICTURES,
}
