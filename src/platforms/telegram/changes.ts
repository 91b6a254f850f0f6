import type { ChangeRules } from '../contract/changes.ts'
import type { Source } from '../contract/source.ts'

const botApi: Source = {
  url: 'https://core.telegram.org/bots/api#deletemessage',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const telegramChanges: ChangeRules = {
  remove: {
    possible: true,
    minutesMax: 48 * 60,
    confirmedBy: 'response',
    exceptions: [
      {
        reason: 'The ids of the other files of this album were not stored: delete the album in Telegram.',
        test: ({ fileCount, ref }) => fileCount > 1 && ref === undefined,
        source: { ...botApi, url: 'https://core.telegram.org/bots/api#sendmediagroup' },
      },
    ],
    source: botApi,
  },
  // The 48 hours of editing concern messages that the bot did not send.
  edit: {
    possible: true,
    what: ['text'],
    keepsId: true,
    exceptions: [
      {
        reason: 'Telegram lets nobody edit a poll.',
        test: ({ fields }) => fields.poll !== undefined,
        source: { ...botApi, url: 'https://core.telegram.org/bots/api#editmessagetext' },
      },
    ],
    source: { ...botApi, url: 'https://core.telegram.org/bots/api#editmessagetext' },
  },
}
