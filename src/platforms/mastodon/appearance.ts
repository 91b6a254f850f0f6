import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'

// The web app of Mastodon. Other apps and servers may show posts in another way.
export const mastodonAppearance: PlatformAppearance = {
  avatar: 'rounded',
  filesFirst: false,
  fold: {
    linesMax: 32,
    source: {
      url: 'https://github.com/mastodon/mastodon/blob/main/app/javascript/mastodon/components/status_content.jsx',
      confidence: 'official',
      version: '03006bd',
      seenAt: '2026-11-30',
    },
  },
  images: {
    form: 'grid',
    shownMax: 4,
    gridRatios: [1.5],
    cutsAtFocus: true,
    source: {
      url: 'https://github.com/mastodon/mastodon/blob/main/app/javascript/mastodon/components/media_gallery.jsx',
      confidence: 'official',
      version: '01b6c83',
      seenAt: '2026-11-30',
    },
  },
  source: {
    url: 'https://github.com/mastodon/mastodon/blob/main/app/javascript/styles/mastodon/css_variables.scss',
    confidence: 'official',
    version: '0fd8468',
    seenAt: '2026-11-30',
  },
}
