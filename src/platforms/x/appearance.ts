import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { PROFILE_PICTURES } from '../contract/appearance-sources.ts'

// A single image is whole from 3:4 to 2:1: https://weareshootingstar.co.uk/news/369-twitter-crop-is-gone/
export const xAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: false,
  fold: {
    charactersMax: 280,
    source: {
      url: 'https://www.slashgear.com/1193442/4000-character-tweets-are-here-but-not-everyone-can-send-them/',
      confidence: 'cross-checked',
      version: '2023-02-08',
      seenAt: '2026-11-30',
    },
  },
  images: {
    form: 'grid',
    gridRatios: [1.75],
    ratioMin: 0.75,
    ratioMax: 2,
    source: {
      url: 'https://image-compressor.uk/blog/best-image-sizes-for-twitter-x-in-2026',
      confidence: 'cross-checked',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  source: PROFILE_PICTURES,
}
