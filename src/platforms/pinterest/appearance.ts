import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'

export const pinterestAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: true,
  images: {
    form: 'row',
    ratioMin: 0.667,
    source: {
      url: 'https://help.pinterest.com/en/business/article/pinterest-product-specs',
      confidence: 'official',
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
