import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'

// A single image keeps its ratio down to 1:2, in the file AutoSizedImage.tsx of the same folder.
export const blueskyAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: false,
  fold: {
    linesMax: 25,
    source: {
      url: 'https://github.com/bluesky-social/social-app/blob/main/src/lib/constants.ts',
      confidence: 'official',
      version: '008fe5e',
      seenAt: '2026-11-30',
    },
  },
  images: {
    form: 'grid',
    gridRatios: [2, 2, 1.5],
    ratioMin: 0.5,
    source: {
      url: 'https://github.com/bluesky-social/social-app/blob/main/src/view/com/util/images/ImageLayoutGrid.tsx',
      confidence: 'official',
      version: '85d3de9',
      seenAt: '2026-11-30',
    },
  },
  source: {
    url: 'https://github.com/bluesky-social/social-app/blob/main/src/view/com/util/UserAvatar.tsx',
    confidence: 'official',
    version: '3b4ffd1',
    seenAt: '2026-11-30',
  },
}
