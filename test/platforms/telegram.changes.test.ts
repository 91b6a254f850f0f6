import t from 'tap'
import { telegramAdapter } from '../../src/platforms/telegram/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startTelegram } from '../networks/fakes/telegram.ts'

const { send, remove, edit } = clientOf(telegramAdapter)

const ALBUM = [fileOf('image/png'), fileOf('image/png'), fileOf('image/png')]

t.test('an album is removed with all of its messages, also if some are gone', async (t) => {
  const fake = await startTelegram(t)
  const act = actOf({ media: ALBUM })
  for (const gone of [[], [1], [0, 1, 2]]) {
    const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
    t.equal(fake.messages.length, 3)
    for (const index of gone.toReversed()) fake.messages.splice(index, 1)
    await remove(published, fake.credentials, ioOf(fake))
    t.same(fake.messages, [])
  }
})

t.test('an edit changes a text or a caption, and keeps the buttons', async (t) => {
  const fake = await startTelegram(t)
  const buttons = [{ text: 'Visit', url: 'https://example.com/' }]
  for (const media of [[], [fileOf('image/png')]]) {
    const act = actOf({ media, fields: { buttons, parseMode: 'HTML', disableLinkPreview: true } })
    const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
    await edit({ ...act, text: '<b>Dawn</b>' }, published, fake.credentials, ioOf(fake))
    t.match(fake.messages.at(-1), {
      [media.length > 0 ? 'caption' : 'text']: 'Dawn',
      reply_markup: { inline_keyboard: [buttons] },
    })
  }
  const album = actOf({ media: ALBUM })
  const sent = await send(album, fake.credentials, ioOf(fake))
  const changed = { ...album, text: 'Dawn' }
  t.same(await edit(changed, publishedOf(album, sent), fake.credentials, ioOf(fake)), sent, 'its other ids stay known')
  t.same(
    fake.messages.slice(-3).map(({ caption }) => caption),
    ['Dawn', undefined, undefined],
  )
})

t.test('a message that Telegram keeps is not taken for a removed one', async (t) => {
  const fake = await startTelegram(t)
  const act = actOf()
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
  fake.isTooOld = true
  const error = await rejection(remove(published, fake.credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', message: "api.telegram.org: Bad Request: message can't be deleted" })
})
