import t from 'tap'
import { createNetworkWorld, VIDEO } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'

const SECOND = 1_000
const MINUTE = 60_000

t.test('Discord: texts and files are sent with their descriptions, and a comment after its post', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, discord } = await createNetworkWorld(t)
  const account = await connect('discord')
  const accountIds = [account]
  const text = await post({ accountIds, caption: 'Hello', firstComment: 'And more' })
  await work()
  t.same(
    discord.messages.map(({ content }) => content),
    ['Hello', 'And more'],
  )
  const urlOf = ({ id, channel_id }: { id: string; channel_id: string }) =>
    `https://discord.com/channels/199737254929760256/${channel_id}/${id}`
  t.hasStrict(await readDelivery(text), {
    state: 'published',
    attempts: 2,
    externalUrl: urlOf(discord.messages[0]!),
    acts: discord.messages.map((message) => ({ externalId: message.id, externalUrl: urlOf(message) })),
  })

  const image = await jpeg()
  const mediaIds = [await uploadFile(image, 'A lighthouse at dusk'), await uploadFile(VIDEO)]
  await post({ accountIds, mediaIds })
  await work(2 * SECOND)
  t.hasStrict(discord.messages[2], {
    content: '',
    attachments: [{ filename: 'image-1.jpg', description: 'A lighthouse at dusk' }, { filename: 'video-2.mp4' }],
  })
  t.same(
    discord.calls.at(-1)?.files.map(({ bytes }) => bytes),
    [image, VIDEO],
  )
})

t.test('Discord: a deleted webhook fails its delivery until its owner connects it again and retries', async (t) => {
  const { connect, readAccount, post, work, readDelivery, discord, of, retry } = await createNetworkWorld(t)
  const account = await connect('discord')
  const path = of('discord').firstCall.split(' ')[1]
  discord.faults.push({
    on: `POST ${path}`,
    instead: { status: 404, body: { message: 'Unknown Webhook', code: 10015 } },
  })
  const id = await post({ accountIds: [account], caption: 'Hello' })
  await work(MINUTE)
  const error = { code: 'unauthorized', message: 'discord.com: Unknown Webhook' }
  t.hasStrict(await readDelivery(id), { state: 'failed', attempts: 1, error: { ...error, retryable: false } })
  t.hasStrict(await readAccount(account), { attention: error })
  t.equal(discord.messages.length, 0)
  await connect('discord')
  t.notOk('attention' in (await readAccount(account)))
  t.equal((await retry(id, account)).status, 202)
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 2 })
})
