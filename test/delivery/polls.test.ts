import t from 'tap'
import { createNetworkWorld } from '../helpers/network-world.ts'

const poll = { options: ['Tea', 'Coffee'], durationMinutes: 1440, multiple: true }
const question = 'What do you drink?'

t.test('one form of a poll is published on Telegram, Discord and Mastodon, each in its own', async (t) => {
  const world = await createNetworkWorld(t)
  const { connect, post, work, readDelivery, telegram, discord } = world
  const accountIds = [await connect('telegram'), await connect('discord'), await connect('mastodon')]
  const id = await post({ accountIds, caption: question, poll })
  await work()
  t.match(telegram.calls.at(-1), {
    path: /sendPoll$/,
    body: {
      question,
      options: [{ text: 'Tea' }, { text: 'Coffee' }],
      open_period: 86_400,
      allows_multiple_answers: true,
    },
  })
  t.strictSame(discord.calls.at(-1)?.body, {
    poll: {
      question: { text: question },
      answers: [{ poll_media: { text: 'Tea' } }, { poll_media: { text: 'Coffee' } }],
      duration: 24,
      allow_multiselect: true,
    },
  })
  t.match(world.mastodon.calls.findLast(({ path }) => path === '/api/v1/statuses')?.body, {
    poll: { options: ['Tea', 'Coffee'], expires_in: 86_400, multiple: true },
  })
  t.hasStrict(await readDelivery(id), { state: 'published', error: null })
})
