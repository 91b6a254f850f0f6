import t from 'tap'
import { createDiscordAdapter } from '../../src/platforms/discord/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf } from '../helpers/adapter-calls.ts'
import { startDiscord } from '../networks/fakes/discord.ts'

const { send, remove, edit } = clientOf(createDiscordAdapter())

t.test('a message in a thread is removed and edited with the id of its thread', async (t) => {
  const fake = await startDiscord(t)
  fake.channel = 'forum'
  const fields = { threadName: 'Lighthouses' }
  const post = actOf({ fields })
  const root = await send(post, fake.credentials, ioOf(fake))
  const comment = actOf({ kind: 'comment', fields, parent: root, root })
  const acts = [publishedOf(post, root), publishedOf(comment, await send(comment, fake.credentials, ioOf(fake)))]
  for (const act of acts) await edit({ ...post, text: 'Dawn' }, act, fake.credentials, ioOf(fake))
  t.same(
    fake.messages.map(({ content }) => content),
    ['Dawn', 'Dawn'],
  )
  await remove(acts[1]!, fake.credentials, ioOf(fake))
  t.equal(fake.messages.length, 1)
  fake.threads.clear()
  fake.messages.length = 0
  await remove(acts[0]!, fake.credentials, ioOf(fake))
  t.equal(fake.calls.at(-1)?.query.thread_id, root.id, 'a deleted thread has taken its messages along')
})

t.test('an edit keeps files, replaces embeds, and mentions those that the post may', async (t) => {
  const fake = await startDiscord(t)
  const fields = { embeds: [{ title: 'One' }], allowedMentions: { parse: [] } }
  const act = actOf({ media: [fileOf('image/png')], fields })
  const published = publishedOf(act, await send(act, fake.credentials, ioOf(fake)))
  const [before] = structuredClone(fake.messages)
  const changed = { ...act, text: '@everyone Dawn', fields: { ...fields, embeds: [{ title: 'Two' }] } }
  await edit(changed, published, fake.credentials, ioOf(fake))
  t.match(fake.messages[0], { content: '@everyone Dawn', embeds: [{ title: 'Two' }], attachments: before!.attachments })
  t.match(fake.calls.at(-1)?.body, { allowed_mentions: { parse: [] } })
  const { embeds: _, ...without } = fields
  await edit({ ...changed, fields: without }, published, fake.credentials, ioOf(fake))
  t.same(fake.messages[0]?.embeds, [], 'embeds that the post no longer has are removed')
})
