import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import { PROFILE_PICTURES } from '../contract/appearance-sources.ts'

export const discordAppearance: PlatformAppearance = {
  avatar: 'circle',
  filesFirst: false,
  images: {
    form: 'grid',
    gridRatios: [2, 1.5],
    source: {
      url: 'https://botghost.com/docs/custom-commands-and-events/actions/message-actions/send-or-edit-a-message/content',
      confidence: 'assumed',
      version: '2026',
      seenAt: '2026-11-30',
    },
  },
  source: PROFILE_PICTURES,
}
