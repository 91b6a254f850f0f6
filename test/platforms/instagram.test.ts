import t from 'tap'
import { instagramAdapter } from '../../src/platforms/instagram/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startInstagram } from '../networks/fakes/instagram.ts'
import type { FakeNetwork } from '../networks/fakes/network.ts'

const { send, identify } = clientOf(instagramAdapter)
const USER = '17841405793187218'

const image = () => fileOf('image/jpeg')
const video = () => fileOf('video/mp4')

async function start(t: Teardown) {
  const fake = await startInstagram(t)
  return { fake, credentials: fake.credentials }
}

/** The parameters of new containers, without the token. */
const created = ({ calls }: FakeNetwork) =>
  calls
    .filter(({ method, path }) => method === 'POST' && path === `/v26.0/${USER}/media`)
    .map(({ body }) => {
      const { access_token: _, ...parameters } = body as Record<string, string>
      return parameters
    })

t.test('an account is named by the id of its professional account', async (t) => {
  const { fake, credentials } = await start(t)
  t.same(await identify(credentials, ioOf(fake)), { externalId: USER, username: 'alice', displayName: 'Alice A.' })
})

t.test('an image is published when its container is finished', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = {
    collaborators: ['bob', 'eve'],
    locationId: '7640348500',
    userTags: [{ username: 'carol', x: 0.5, y: 0 }],
    isAiGenerated: true,
    isPaidPartnership: false,
    shareToFeed: true,
  }
  const media = [fileOf('image/jpeg', { altText: 'A lighthouse' })]
  const sent = await send(actOf({ media, fields }), credentials, ioOf(fake))
  t.match(created(fake), [
    {
      image_url: /^https:\/\/postroom/,
      caption: 'A lighthouse at dusk',
      alt_text: 'A lighthouse',
      collaborators: '["bob","eve"]',
      location_id: '7640348500',
      user_tags: '[{"username":"carol","x":0.5,"y":0}]',
      is_ai_generated: 'true',
      is_paid_partnership: 'false',
    },
  ])
  t.same(sent, { id: fake.posts[0]?.id, url: fake.posts[0]?.permalink })
})

t.test('a single video is a reel, with its cover or its offset', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = { shareToFeed: false, thumbOffset: 0, audioName: 'Waves', trialReel: 'MANUAL' }
  await send(actOf({ media: [video()], postType: 'reel', fields }), credentials, ioOf(fake))
  const cover = { coverUrl: 'https://example.com/a.jpg', thumbOffset: 500, userTags: [{ username: 'bob', x: 1, y: 1 }] }
  await send(actOf({ media: [video()], fields: cover }), credentials, ioOf(fake))
  const reel = { media_type: 'REELS', caption: 'A lighthouse at dusk' }
  t.same(
    created(fake).map(({ video_url: _, ...rest }) => rest),
    [
      {
        ...reel,
        share_to_feed: 'false',
        thumb_offset: '0',
        audio_name: 'Waves',
        trial_params: '{"graduation_strategy":"MANUAL"}',
      },
      { ...reel, cover_url: 'https://example.com/a.jpg', user_tags: '[{"username":"bob"}]' },
    ],
  )
})

t.test('a story is published without a caption and a description, refused or ignored', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = { altText: 'Not shown', collaborators: ['bob'], userTags: [{ username: 'bob' }] }
  await send(actOf({ media: [image()], postType: 'story', fields }), credentials, ioOf(fake))
  fake.ignoresMisplaced = true
  await send(actOf({ media: [video()], postType: 'story' }), credentials, ioOf(fake))
  t.match(created(fake), [
    { media_type: 'STORIES', user_tags: '[{"username":"bob"}]' },
    { media_type: 'STORIES', video_url: /./ },
  ])
  t.same(Object.keys(created(fake)[1]!), ['media_type', 'video_url'])
})

t.test('a carousel is published when all its files and its own container are finished', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = { collaborators: ['bob'], userTags: [{ username: 'carol', x: 0, y: 1 }], altText: 'The sea' }
  await send(actOf({ media: [image(), video(), image()], fields }), credentials, ioOf(fake))
  const item = { is_carousel_item: 'true' }
  t.match(created(fake), [
    { ...item, alt_text: 'The sea', user_tags: '[{"username":"carol","x":0,"y":1}]' },
    { ...item, media_type: 'VIDEO' },
    { ...item, alt_text: 'The sea', user_tags: undefined },
    { media_type: 'CAROUSEL', children: /^\d+,\d+,\d+$/, collaborators: '["bob"]' },
  ])
  t.equal(fake.posts.length, 1)
})

t.test('what Instagram cannot show is refused before anything is sent', async (t) => {
  const { fake, credentials } = await start(t)
  const refused = [
    actOf(),
    actOf({ media: [image()], fields: { userTags: [{ username: 'bob' }] } }),
    actOf({ media: [image(), fileOf('image/jpeg', { publicUrl: () => null })] }),
  ]
  const codes: string[] = []
  for (const act of refused) {
    const error = await rejection(send(act, credentials, ioOf(fake)))
    t.has(error, { maybeSent: false, retryable: false })
    codes.push(error.code)
  }
  t.same(codes, ['content_refused', 'content_refused', 'public_url_missing'])
  t.same(fake.log, [])
})

t.test('a first comment is posted under the post, without other parameters', async (t) => {
  const { fake, credentials } = await start(t)
  const root = await send(actOf({ media: [image()] }), credentials, ioOf(fake))
  fake.log.length = 0
  const comment = actOf({ kind: 'comment', text: 'First!', parent: root, root })
  t.same(await send(comment, credentials, ioOf(fake)), { id: fake.comments[0]?.id, url: null })
  t.same(fake.log, ['intend', `POST /v26.0/${root.id}/comments`])
  t.same(Object.keys(fake.calls.at(-1)?.body as object).sort(), ['access_token', 'message'])
})
