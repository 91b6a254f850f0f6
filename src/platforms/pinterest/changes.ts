import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const openapi: Source = {
  url: 'https://developers.pinterest.com/docs/api/v5/pins-delete',
  confidence: 'official',
  version: '5.23.0, 2025-12-11',
  seenAt: '2026-11-26',
}

export const pinterestChanges: ChangeRules = {
  remove: { possible: true, confirmedBy: 'response', source: openapi },
  edit: {
    possible: true,
    what: ['text', 'title', 'link', 'altText'],
    keepsId: true,
    warning:
      'Pinterest offers this to chosen apps only, as a beta: other apps get an error, and the Pin stays as it is.',
    source: { ...openapi, url: 'https://developers.pinterest.com/docs/api/v5/pins-update' },
  },
}
