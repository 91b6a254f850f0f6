import type { Source } from './source.ts'

/* Pages that compare several networks. */

export const PROFILE_PICTURES: Source = {
  url: 'https://imgkilo.com/guides/profile-picture-size-guide',
  confidence: 'assumed',
  version: '2026-06-23',
  seenAt: '2026-11-30',
}

export const FOLDED_TEXTS: Source = {
  url: 'https://posttruncate.com/en/platform-limits/',
  confidence: 'assumed',
  version: '2026',
  seenAt: '2026-11-30',
}
