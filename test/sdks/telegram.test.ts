import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import { telegramAdapter } from '../../src/platforms/telegram/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf } from '../helpers/adapter-calls.ts'
import type { Recorded } from '../networks/fakes/network.ts'
import { startTelegram } from '../networks/fakes/telegram.ts'
import { type Claim, typeErrors } from './claims.ts'

const { send, identify, edit, remove } = clientOf(telegramAdapter)

const TYPES = "import type * as Params from '@gramio/types/params'"

const METHODS = [
  ...['getMe', 'getChat', 'getChatMember', 'sendMessage', 'sendPhoto', 'sendAnimation', 'sendVideo'],
  ...['sendMediaGroup', 'editMessageText', 'editMessageCaption', 'deleteMessage', 'deleteMessages'],
]

t.test("requests of the adapter have the types that are made from Telegram's page", async (t) => {
  const fake = await startTelegram(t)
  const { credentials } = fake
  const io = ioOf(fake)
  await identify(credentials, io)
  const fields = {
    parseMode: 'HTML',
    disableNotification: true,
    protectContent: true,
    disableLinkPreview: true,
    hasSpoiler: true,
    showCaptionAboveMedia: true,
    messageThreadId: 5,
    coverUrl: 'https://images.example/a.png',
  }
  const buttons = [{ text: 'See', url: 'https://example.com/' }]
  const publish = (act: Partial<Act>) => send(actOf({ fields, ...act }), credentials, io)
  const first = await publish({ fields: { ...fields, buttons } })
  for (const type of ['image/jpeg', 'image/gif', 'video/mp4']) {
    await publish({ media: [fileOf(type)], fields: { ...fields, buttons } })
  }
  const album = { fields, media: [fileOf('image/jpeg'), fileOf('video/mp4')] }
  const sentAlbum = await publish(album)
  await publish({ kind: 'comment', parent: first, root: first })

  for (const [act, sent] of [[{ fields }, first] as const, [album, sentAlbum] as const]) {
    const published = publishedOf(actOf(act), sent)
    await edit(actOf({ ...act, text: 'A lighthouse at dawn' }), published, credentials, io)
    await remove(published, credentials, io)
  }

  t.strictSame([...new Set(fake.calls.map(methodOf))].sort(), [...METHODS].sort(), 'every method is called')
  const claims = fake.calls.filter((call) => methodOf(call) !== 'getMe').map(claimOf)
  t.equal(await typeErrors(t, TYPES, claims), '')

  const wrong: Claim = { type: 'Params.SendMessageParams', value: { chat_id: 1, text: 'a', protect_content: 5 } }
  t.match(await typeErrors(t, TYPES, [wrong]), /'number' is not assignable/, 'another type is noticed')
  const unknown: Claim = { type: 'Params.SendPhotoParams', value: { chat_id: 1, photo: 'a', colour: 'red' } }
  t.match(await typeErrors(t, TYPES, [unknown]), /colour.* does not exist/, 'another name is noticed')
})

const methodOf = ({ path }: Recorded) => path.split('/').at(-1)!

/**
 * The parameters of a call. In a form, those that are not texts are JSON, and the files of an album are named in
 * `media`.
 */
function claimOf(call: Recorded): Claim {
  const method = methodOf(call)
  const isForm = call.files.length > 0
  const parameters = Object.entries((call.body ?? {}) as Record<string, unknown>).map(([name, value]) => [
    name,
    isForm && !['chat_id', 'caption', 'parse_mode', 'cover'].includes(name) ? JSON.parse(String(value)) : value,
  ])
  const files = method === 'sendMediaGroup' ? [] : call.files.map(({ field }) => [field, 'a file'])
  const value = Object.fromEntries([...parameters, ...files])
  return { type: `Params.${method[0]!.toUpperCase()}${method.slice(1)}Params`, value }
}
