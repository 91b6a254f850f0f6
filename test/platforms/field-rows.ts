import type { Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import { fileOf } from '../helpers/adapter-calls.ts'
import { startBluesky } from '../networks/fakes/bluesky.ts'
import { startDiscord } from '../networks/fakes/discord.ts'
import { PAGE_ID, startFacebook } from '../networks/fakes/facebook.ts'
import { startGoogleBusiness } from '../networks/fakes/google-business.ts'
import { startInstagram } from '../networks/fakes/instagram.ts'
import { startLinkedin } from '../networks/fakes/linkedin.ts'
import { startMastodon } from '../networks/fakes/mastodon.ts'
import type { FakeNetwork } from '../networks/fakes/network.ts'
import { startPinterest } from '../networks/fakes/pinterest.ts'
import { startReddit } from '../networks/fakes/reddit.ts'
import { startTelegram } from '../networks/fakes/telegram.ts'
import { startThreads } from '../networks/fakes/threads.ts'
import { startTiktok } from '../networks/fakes/tiktok.ts'
import { startX } from '../networks/fakes/x.ts'
import { startYoutube } from '../networks/fakes/youtube.ts'

/** A post with one key of `fields`, and what its network receives of it. */
interface Row {
  value: unknown
  /** The values in all calls named `call`: none if the key has no effect. Absent: the value itself, once. */
  sent?: unknown[]
  /** Absent: the call that creates the post. */
  call?: string
  /** The place of the key in the body. Absent: the `param` of the catalogue. */
  at?: string
  act?: Partial<Act>
  /** Why the key is rejected. */
  refused?: string
}

interface Subject {
  fake: FakeNetwork
  credentials: Credentials
  /** The call that creates a post. */
  call: string
  rows: Record<string, Row | Row[]>
}

const image = () => fileOf('image/jpeg')
const gif = () => fileOf('image/gif')
const video = () => fileOf('video/mp4')

const IMAGE: Partial<Act> = { media: [image()] }
const GIF: Partial<Act> = { media: [gif()] }
const VIDEO: Partial<Act> = { media: [video()] }
const IMAGES: Partial<Act> = { media: [image(), image()] }
const STORY: Partial<Act> = { media: [image()], postType: 'story' }
const VIDEO_STORY: Partial<Act> = { media: [video()], postType: 'story' }

const LINK = 'https://example.com/a?b=c&d'

/** The networks whose every key is tested, each with an account on its fake. */
export const SUBJECTS: Partial<Record<PlatformId, (t: Test) => Promise<Subject>>> = {
  async x(t) {
    const fake = await startX(t)
    const { id: own } = fake.post({ text: 'Mine' })
    const described = { call: 'POST /2/media/metadata' }
    const poll = { options: ['Yes', 'No'], durationMinutes: 60 }
    return {
      fake,
      credentials: fake.credentials,
      call: 'POST /2/tweets',
      rows: {
        // The schema has no value for everyone.
        replySettings: [{ value: 'mentionedUsers' }, { value: 'everyone', sent: [] }],
        poll: { value: poll, sent: [{ options: ['Yes', 'No'], duration_minutes: 60 }] },
        quotePostId: { value: own },
        communityId: { value: '1493446837214187523', sent: [] },
        taggedUserIds: [
          { value: ['12', '13'], act: IMAGE },
          { value: ['12'], sent: [] },
        ],
        altText: [
          { value: 'The sea', act: IMAGE, ...described },
          { value: 'The sea', act: GIF, ...described },
          { value: 'The sea', act: IMAGES, ...described, sent: ['The sea', 'The sea'] },
          { value: 'The sea', act: VIDEO, ...described, sent: [] },
          { value: 'The sea', ...described, sent: [] },
        ],
        madeWithAi: [{ value: true }, { value: false }],
        paidPartnership: [{ value: true }, { value: false }],
        forSuperFollowersOnly: [{ value: true }, { value: false }],
        placeId: { value: '01a9a39529b27f36' },
      },
    }
  },

  async linkedin(t) {
    const fake = await startLinkedin(t)
    const linked = { fields: { link: LINK } }
    const poll = { question: 'Sea?', options: ['Yes', 'No'], duration: 'ONE_DAY' }
    const sentPoll = { question: 'Sea?', options: [{ text: 'Yes' }, { text: 'No' }], settings: { duration: 'ONE_DAY' } }
    return {
      fake,
      credentials: fake.member,
      call: 'POST /rest/posts',
      rows: {
        visibility: [{ value: 'CONNECTIONS' }, { value: 'LOGGED_IN' }],
        link: { value: LINK },
        linkTitle: [
          { value: 'A page', act: linked },
          { value: 'A page', sent: [] },
        ],
        linkDescription: [
          { value: 'Of the sea', act: linked },
          { value: 'Of the sea', sent: [] },
        ],
        // A post with a link uploads the link's image: linkedin.media.test.ts.
        linkImageUrl: { value: LINK, sent: [] },
        mediaTitle: [
          { value: 'A film', act: VIDEO },
          { value: 'A photo', act: IMAGE },
          { value: 'Photos', act: IMAGES, sent: [] },
          { value: 'Nothing', sent: [] },
        ],
        altText: [
          { value: 'The sea', act: IMAGE },
          { value: 'The sea', act: IMAGES, at: 'content.multiImage.images.0.altText' },
          { value: 'The sea', act: IMAGES, at: 'content.multiImage.images.1.altText' },
          { value: 'The sea', act: VIDEO, sent: [] },
          { value: 'The sea', sent: [] },
        ],
        poll: { value: poll, sent: [sentPoll] },
        disableReshare: [{ value: true }, { value: false }],
      },
    }
  },

  async reddit(t) {
    const fake = await startReddit(t)
    fake.addSubreddit('u_ada_l')
    const [flair, editable] = fake.subreddits.get('lighthouses')!.flairs
    const at = (fields: Act['fields'] = {}): Partial<Act> => ({ fields: { subreddit: 'lighthouses', ...fields } })
    const gallery = 'POST /api/submit_gallery_post.json'
    const flag = [
      { value: true, sent: ['true'], act: at() },
      { value: false, sent: ['false'], act: at() },
    ]
    return {
      fake,
      credentials: fake.credentials,
      call: 'POST /api/submit',
      rows: {
        subreddit: [{ value: 'lighthouses' }, { value: 'u_ada_l' }],
        title: { value: 'A title', act: at() },
        flairId: [
          { value: flair!.id, act: at() },
          { value: flair!.id, act: { ...IMAGES, ...at() }, call: gallery },
        ],
        flairText: { value: 'Where?', act: at({ flairId: editable!.id }) },
        link: { value: LINK, act: at() },
        kind: [
          { value: 'self', act: at() },
          { value: 'link', act: at({ link: LINK }) },
          { value: 'image', act: { ...IMAGE, ...at() } },
          { value: 'video', act: { ...VIDEO, ...at() } },
          { value: 'videogif', act: { ...VIDEO, ...at() } },
          // A gallery has a call of its own, without this parameter.
          { value: 'gallery', act: { ...IMAGES, ...at() }, call: gallery, at: 'show_error_list', sent: [true] },
        ],
        nsfw: flag,
        spoiler: flag,
        sendReplies: flag,
      },
    }
  },

  async youtube(t) {
    const fake = await startYoutube(t)
    const act: Partial<Act> = { ...VIDEO, postType: 'video' }
    const { id } = fake.addVideo({ snippet: { title: 'Dusk' }, status: { privacyStatus: 'public' } }, Buffer.from('1'))
    const parent = { id, url: null }
    const [playlistId] = fake.playlists.keys()
    fake.images.set('/dusk.png', { type: 'image/png', bytes: Buffer.from('PNG') })
    const row = (value: unknown): Row => ({ value, act })
    return {
      fake,
      credentials: fake.credentials,
      call: 'POST /upload/youtube/v3/videos',
      rows: {
        title: row('Dusk'),
        privacyStatus: [row('unlisted'), row('private'), row('public')],
        tags: row(['sea', 'a lighthouse']),
        categoryId: row('1'),
        madeForKids: [row(true), row(false)],
        containsSyntheticMedia: [row(true), row(false)],
        thumbnailUrl: {
          value: 'https://images.example/dusk.png',
          call: 'GET /dusk.png',
          at: 'call.path',
          sent: ['/dusk.png'],
          act: { kind: 'thumbnail', text: 'https://images.example/dusk.png', parent },
        },
        defaultLanguage: row('cy'),
        embeddable: [row(true), row(false)],
        license: [row('creativeCommon'), row('youtube')],
        notifySubscribers: [
          { ...row(false), at: 'call.query.notifySubscribers', sent: ['false'] },
          { ...row(true), at: 'call.query.notifySubscribers', sent: [] },
        ],
        playlistId: {
          value: playlistId,
          call: 'POST /youtube/v3/playlistItems',
          at: 'snippet.playlistId',
          act: { kind: 'playlist', text: playlistId!, parent },
        },
      },
    }
  },

  async facebook(t) {
    const fake = await startFacebook(t)
    const photos = { call: `POST /v26.0/${PAGE_ID}/photos` }
    const [videos, reels] = [`POST /v26.0/${PAGE_ID}/videos`, `POST /v26.0/${PAGE_ID}/video_reels`]
    return {
      fake,
      credentials: fake.credentials,
      call: `POST /v26.0/${PAGE_ID}/feed`,
      rows: {
        link: [{ value: LINK }, { value: LINK, act: IMAGE, sent: [] }],
        title: [
          { value: 'A film', act: VIDEO, call: videos },
          { value: 'A reel', act: { ...VIDEO, postType: 'reel' }, call: reels },
          { value: 'A story', act: VIDEO_STORY, call: `POST /v26.0/${PAGE_ID}/video_stories`, sent: [] },
          { value: 'A text', sent: [] },
        ],
        scheduledNative: [
          { value: true, refused: 'Postroom itself publishes at the scheduled time' },
          { value: false, sent: [] },
        ],
        altText: [
          { value: 'The sea', act: IMAGE, ...photos },
          { value: 'The sea', act: IMAGES, ...photos, sent: ['The sea', 'The sea'] },
          { value: 'The sea', act: STORY, ...photos },
          { value: 'The sea', act: VIDEO, call: videos, sent: [] },
        ],
        textFormatPresetId: { value: '106018623298955' },
      },
    }
  },

  async google_business(t) {
    const fake = await startGoogleBusiness(t)
    const [start, end] = ['2026-12-24T18:30:00+01:00', '2026-12-25T02:00:00+01:00']
    const fields = { topicType: 'EVENT', eventTitle: 'Lights', eventStart: start, eventEnd: end }
    const [event, offer] = [{ fields }, { fields: { ...fields, topicType: 'OFFER' } }]
    const [book, phone] = [{ callToActionType: 'BOOK' }, { callToActionType: 'CALL' }]
    const withLink = (act: { fields?: Act['fields'] } = {}) => ({ fields: { ...act.fields, callToActionUrl: LINK } })
    const times = (value: string, at: string, date: object, hours: number): Row[] => [
      { value, act: event, at: `event.schedule.${at}Date`, sent: [date] },
      { value, act: offer, at: `event.schedule.${at}Date`, sent: [date] },
      { value, act: event, at: `event.schedule.${at}Time.hours`, sent: [hours] },
      { value, at: 'event', sent: [] },
    ]
    return {
      fake,
      credentials: fake.credentials,
      call: `POST /v4/${fake.credentials.location}/localPosts`,
      rows: {
        topicType: [{ value: 'STANDARD' }, { value: 'EVENT', act: event }, { value: 'OFFER', act: event }],
        callToActionType: [
          { value: 'LEARN_MORE', act: withLink() },
          { value: 'SHOP', act: withLink(event) },
          { value: 'CALL' },
          { value: 'SHOP', act: withLink(offer), sent: [] },
        ],
        callToActionUrl: [
          { value: LINK, act: { fields: book } },
          { value: LINK, act: { fields: phone }, sent: [] },
          { value: LINK, sent: [] },
          { value: LINK, act: { fields: { ...offer.fields, ...book } }, sent: [] },
        ],
        eventTitle: [
          { value: 'A night', act: event },
          { value: 'A night', act: offer },
          { value: 'A night', sent: [] },
        ],
        eventStart: times(start, 'start', { year: 2026, month: 12, day: 24 }, 18),
        eventEnd: times(end, 'end', { year: 2026, month: 12, day: 25 }, 2),
        offerCouponCode: [
          { value: 'LIGHT', act: offer },
          { value: 'LIGHT', act: event, sent: [] },
        ],
        offerRedeemUrl: [
          { value: LINK, act: offer },
          { value: LINK, act: event, sent: [] },
        ],
        offerTerms: [
          { value: 'One each', act: offer },
          { value: 'One each', act: event, sent: [] },
        ],
        languageCode: { value: 'en-GB' },
      },
    }
  },

  async pinterest(t) {
    const fake = await startPinterest(t)
    const [board] = fake.boards
    const boardId = board!.id
    const pin = (fields: Act['fields'] = {}): Partial<Act> => ({ ...IMAGE, fields: { boardId, ...fields } })
    const film = (fields: Act['fields'] = {}): Partial<Act> => ({ ...VIDEO, fields: { boardId, ...fields } })
    const framed = { coverTimestampSeconds: 1 }
    return {
      fake,
      credentials: fake.credentials,
      call: 'POST /v5/pins',
      rows: {
        boardId: [
          { value: boardId, act: IMAGE },
          { value: boardId, act: { ...VIDEO, fields: framed } },
        ],
        boardSectionId: { value: board!.sections[0]!.id, act: pin() },
        title: [
          { value: 'A pin', act: pin() },
          { value: 'A film', act: film(framed) },
        ],
        link: [
          { value: LINK, act: pin() },
          { value: LINK, act: { ...pin(), ...IMAGES } },
        ],
        altText: [
          { value: 'The sea', act: pin() },
          { value: 'The sea', act: { ...pin(), ...IMAGES } },
          { value: 'The sea', act: film(framed) },
        ],
        dominantColor: { value: '#6E7874', act: pin() },
        aiDisclosures: { value: ['AI_MODIFIED', 'SYNTHETIC_PERFORMER'], act: pin() },
        coverUrl: [
          { value: LINK, act: film() },
          { value: LINK, act: pin(), sent: [] },
        ],
        coverTimestampSeconds: [
          { value: 0, act: film() },
          { value: 2, act: film() },
          { value: 2, act: film({ coverUrl: LINK }), sent: [] },
          { value: 2, act: pin(), sent: [] },
        ],
      },
    }
  },

  async instagram(t) {
    const fake = await startInstagram(t)
    const placed = { username: 'carol', x: 0.5, y: 0 }
    const tags = [{ username: 'carol', x: 0.5, y: 0 }]
    const onlyInReels = (value: unknown, sent: unknown): Row[] => [
      { value, act: VIDEO, sent: [sent] },
      { value, act: { ...VIDEO, postType: 'reel' }, sent: [sent] },
      { value, act: IMAGE, sent: [] },
      { value, act: { media: [video(), image()] }, sent: [] },
      { value, act: VIDEO_STORY, sent: [] },
    ]
    /** On the container that is published. */
    const outsideStories = (value: unknown, sent: unknown): Row[] => [
      { value, act: IMAGE, sent: [sent] },
      { value, act: VIDEO, sent: [sent] },
      { value, act: IMAGES, sent: [sent] },
      { value, act: STORY, sent: [] },
    ]
    return {
      fake,
      credentials: fake.credentials,
      call: `POST /v26.0/${fake.credentials.userId}/media`,
      rows: {
        collaborators: outsideStories(['bob', 'eve'], ['bob', 'eve']),
        locationId: outsideStories('7640348500', '7640348500'),
        shareToFeed: [...onlyInReels(false, 'false'), ...onlyInReels(true, 'true')],
        coverUrl: onlyInReels(LINK, LINK),
        thumbOffset: [
          ...onlyInReels(0, '0'),
          ...onlyInReels(1500, '1500'),
          { value: 0, act: { ...VIDEO, fields: { coverUrl: LINK } }, sent: [] },
        ],
        audioName: onlyInReels('Waves', 'Waves'),
        userTags: [
          { value: tags, act: IMAGE },
          { value: tags, act: IMAGES },
          { value: tags, act: VIDEO, sent: [[{ username: 'carol' }]] },
          { value: tags, act: { media: [video(), image()] }, sent: [[{ username: 'carol' }]] },
          { value: tags, act: STORY },
          { value: [placed, { username: 'dan' }], act: VIDEO_STORY },
        ],
        altText: [
          { value: 'The sea', act: IMAGE },
          { value: 'The sea', act: { media: [image(), video(), image()] }, sent: ['The sea', 'The sea'] },
          { value: 'The sea', act: VIDEO, sent: [] },
          { value: 'The sea', act: STORY, sent: [] },
        ],
        trialReel: [...onlyInReels('MANUAL', 'MANUAL'), ...onlyInReels('SS_PERFORMANCE', 'SS_PERFORMANCE')],
        isAiGenerated: [...outsideStories(true, 'true'), ...outsideStories(false, 'false')],
        isPaidPartnership: [...outsideStories(true, 'true'), ...outsideStories(false, 'false')],
      },
    }
  },

  async threads(t) {
    const fake = await startThreads(t)
    const everywhere = (value: unknown, sent = value): Row[] =>
      [{}, IMAGE, VIDEO, IMAGES].map((act) => ({ value, act, sent: [sent] }))
    return {
      fake,
      credentials: fake.credentials,
      call: 'POST /v1.0/me/threads',
      rows: {
        replyControl: [...everywhere('followers_only'), ...everywhere('everyone')],
        topicTag: everywhere('lighthouses'),
        altText: [
          { value: 'The sea', act: IMAGE },
          { value: 'The sea', act: VIDEO },
          { value: 'The sea', act: IMAGES, sent: ['The sea', 'The sea'] },
          { value: 'The sea', sent: [] },
        ],
        linkAttachment: { value: LINK },
        textAttachment: { value: 'A long text' },
        poll: { value: { options: ['Yes', 'No', 'So'] }, sent: [{ option_a: 'Yes', option_b: 'No', option_c: 'So' }] },
        quotePostId: everywhere('18000000000000001'),
        countryCodes: everywhere(['US', 'CA'], 'US,CA'),
      },
    }
  },

  async tiktok(t) {
    const fake = await startTiktok(t)
    fake.switches.initsMax = fake.switches.draftsMax = Number.POSITIVE_INFINITY
    const base = '/v2/post/publish'
    const [videos, photos] = [`POST ${base}/video/init/`, `POST ${base}/content/init/`]
    const privacyLevel = 'PUBLIC_TO_EVERYONE'
    const inVideo = { act: { media: [video()], fields: { privacyLevel } }, call: videos }
    const inPhotos = { act: { media: [image(), image()], fields: { privacyLevel } }, call: photos }
    const postMode = 'MEDIA_UPLOAD'
    const inVideoDraft = { act: { media: [video()], fields: { postMode } }, call: `POST ${base}/inbox/video/init/` }
    const inPhotosDraft = { act: { media: [image(), image()], fields: { postMode } }, call: photos }
    const [drafts, direct] = [
      [inVideoDraft, inPhotosDraft],
      [inVideo, inPhotos],
    ]
    const sentIn = (value: unknown, where: object[]): Row[] => where.map((row) => ({ value, ...row }))
    const unusedIn = (value: unknown, where: object[]): Row[] => where.map((row) => ({ value, sent: [], ...row }))
    return {
      fake,
      credentials: fake.credentials,
      call: videos,
      rows: {
        privacyLevel: [...sentIn('SELF_ONLY', direct), ...unusedIn('SELF_ONLY', drafts)],
        title: [
          ...sentIn('At sea', [inPhotos, inPhotosDraft]),
          ...unusedIn('At sea', [{ ...inVideo, act: { ...inVideo.act, text: '' } }, inVideoDraft]),
        ],
        disableComment: [...sentIn(true, direct), ...sentIn(false, direct), ...unusedIn(true, drafts)],
        disableDuet: [...sentIn(true, [inVideo]), ...unusedIn(true, [inPhotos, ...drafts])],
        disableStitch: [...sentIn(true, [inVideo]), ...unusedIn(true, [inPhotos, ...drafts])],
        brandContentToggle: [...sentIn(true, direct), ...unusedIn(true, drafts)],
        brandOrganicToggle: [...sentIn(true, direct), ...unusedIn(true, drafts)],
        isAigc: [
          ...sentIn(true, [inVideo]),
          ...sentIn(true, [{ ...inPhotos, at: 'is_aigc' }]),
          ...unusedIn(true, drafts),
        ],
        autoAddMusic: [...sentIn(false, [inPhotos]), ...unusedIn(false, [inVideo, ...drafts])],
        videoCoverTimestampMs: [...sentIn(1500, [inVideo]), ...unusedIn(1500, [inPhotos, ...drafts])],
        photoCoverIndex: [...sentIn(1, [inPhotos, inPhotosDraft]), ...unusedIn(1, [inVideo, inVideoDraft])],
        postMode: [
          { value: 'MEDIA_UPLOAD', ...inPhotos },
          { value: 'DIRECT_POST', ...inPhotos },
          // Drafts of videos have a call of their own.
          {
            value: 'MEDIA_UPLOAD',
            ...inVideo,
            call: `POST ${base}/inbox/video/init/`,
            at: 'source_info.source',
            sent: ['FILE_UPLOAD'],
          },
          { value: 'DIRECT_POST', ...inVideo, at: 'source_info.source', sent: ['FILE_UPLOAD'] },
        ],
      },
    }
  },

  async discord(t) {
    const fake = await startDiscord(t)
    fake.channel = 'forum'
    fake.threads.add('77')
    const inThread = { fields: { threadId: '77' } }
    const { pathname } = new URL(fake.credentials.webhookUrl)
    const described = (file: object) => ({
      act: { ...inThread, ...file },
      at: 'payload_json.attachments.0.description',
    })
    return {
      fake,
      credentials: fake.credentials,
      call: `POST ${pathname.replace('/api/', '/api/v10/')}`,
      rows: {
        username: { value: 'Keeper', act: inThread },
        avatarUrl: { value: LINK, act: inThread },
        threadId: { value: '77', at: 'call.query.thread_id' },
        threadName: { value: 'Fog' },
        appliedTags: [
          { value: ['12'], act: { fields: { threadName: 'Fog' } } },
          { value: ['12'], act: inThread, sent: [] },
        ],
        embeds: { value: [{ title: 'Fog' }], act: inThread },
        altText: [
          { value: 'The sea', ...described(IMAGE) },
          { value: 'The sea', ...described(VIDEO) },
          { value: 'The sea', act: inThread, sent: [] },
        ],
        poll: {
          value: { options: ['Yes', 'No'], durationHours: 2, multiple: true },
          act: { ...inThread, text: 'Fog?' },
          sent: [
            {
              question: { text: 'Fog?' },
              answers: [{ poll_media: { text: 'Yes' } }, { poll_media: { text: 'No' } }],
              duration: 2,
              allow_multiselect: true,
            },
          ],
        },
        tts: [
          { value: true, act: inThread },
          { value: false, act: inThread, sent: [] },
        ],
        suppressEmbeds: [
          { value: true, act: inThread, sent: [4] },
          { value: false, act: inThread, sent: [] },
        ],
        suppressNotifications: [
          { value: true, act: inThread, sent: [4096] },
          { value: true, act: { fields: { ...inThread.fields, suppressEmbeds: true } }, sent: [4100] },
          { value: false, act: inThread, sent: [] },
        ],
        allowedMentions: { value: { parse: [] }, act: inThread },
      },
    }
  },

  async mastodon(t) {
    const fake = await startMastodon(t)
    const poll = { options: ['Yes', 'No'], expiresIn: 300, multiple: true, hideTotals: true }
    const sentPoll = { options: ['Yes', 'No'], expires_in: 300, multiple: true, hide_totals: true }
    const described = { call: 'POST /api/v2/media', at: 'description' }
    return {
      fake,
      credentials: fake.credentials,
      call: 'POST /api/v1/statuses',
      rows: {
        visibility: [{ value: 'unlisted' }, { value: 'public' }],
        sensitive: [{ value: true }, { value: false }],
        spoilerText: [{ value: 'Fog' }, { value: 'Fog alone', act: { text: '' } }],
        language: { value: 'cy' },
        // Mastodon lists no content types.
        contentType: { value: 'text/markdown', sent: [] },
        quoteApprovalPolicy: { value: 'nobody' },
        altText: [
          { value: 'The sea', act: IMAGE, ...described },
          { value: 'The sea', act: VIDEO, ...described },
          { value: 'The sea', ...described, sent: [] },
        ],
        poll: { value: poll, sent: [sentPoll] },
      },
    }
  },

  async telegram(t) {
    const fake = await startTelegram(t)
    const method = (name: string) => `POST /bot${fake.credentials.botToken}/${name}`
    const [photo, film] = [
      { act: IMAGE, call: method('sendPhoto') },
      { act: VIDEO, call: method('sendVideo') },
    ]
    const button = { text: 'Go', url: LINK }
    /** Values in a form are texts. */
    const flag = (more: object): Row[] => [
      { value: true, sent: ['true'], ...more },
      { value: false, ...more, sent: [] },
    ]
    return {
      fake,
      credentials: fake.credentials,
      call: method('sendMessage'),
      rows: {
        parseMode: [{ value: 'HTML' }, { value: 'HTML', ...photo }],
        disableNotification: [{ value: true }, { value: false, sent: [] }],
        protectContent: [{ value: true }, { value: false, sent: [] }],
        disableLinkPreview: [{ value: true }, { value: false, sent: [] }, { value: true, ...photo, sent: [] }],
        linkPreview: [
          {
            value: { url: LINK, preferLargeMedia: true, showAboveText: true },
            sent: [{ url: LINK, prefer_large_media: true, show_above_text: true }],
          },
          { value: { preferSmallMedia: true }, sent: [{ prefer_small_media: true }] },
          { value: { url: LINK }, ...photo, sent: [] },
        ],
        hasSpoiler: [...flag(photo), { value: true, sent: [] }],
        showCaptionAboveMedia: [...flag(photo), { value: true, sent: [] }],
        messageThreadId: { value: 5 },
        coverUrl: [
          { value: LINK, ...film },
          { value: LINK, ...photo, sent: [] },
        ],
        poll: {
          value: { options: ['Yes', 'No'], durationMinutes: 2, multiple: true },
          call: method('sendPoll'),
          at: 'options',
          sent: [[{ text: 'Yes' }, { text: 'No' }]],
        },
        // The image is loaded, and is a part of the form: telegram.test.ts.
        thumbnailUrl: { value: LINK, ...photo, sent: [] },
        buttons: [
          { value: [button], sent: [[[button]]] },
          { value: [button], act: IMAGES, refused: 'no buttons below several files|several media files' },
        ],
      },
    }
  },

  async bluesky(t) {
    const fake = await startBluesky(t)
    const card = { fields: { linkCard: LINK } }
    const record = (key: string) => ({ at: `record.${key}` })
    return {
      fake,
      credentials: fake.credentials,
      call: 'POST /xrpc/com.atproto.repo.putRecord',
      rows: {
        langs: { value: ['en', 'cy'], ...record('langs') },
        altText: [
          { value: 'The sea', act: IMAGE, ...record('embed.images.0.alt') },
          { value: 'The sea', act: VIDEO, ...record('embed.alt') },
          { value: 'The sea', ...record('embed.images.0.alt'), sent: [] },
        ],
        labels: { value: ['nudity'], ...record('labels.values'), sent: [[{ val: 'nudity' }]] },
        tags: { value: ['sea'], ...record('tags') },
        replyGate: [
          { value: 'nobody', ...record('allow'), sent: [[]] },
          { value: 'everyone', ...record('allow'), sent: [] },
        ],
        linkCard: { value: LINK, ...record('embed.external.uri') },
        linkCardTitle: [
          { value: 'A page', act: card, ...record('embed.external.title') },
          { value: 'A page', ...record('embed.external.title'), sent: [] },
        ],
        linkCardDescription: [
          { value: 'Fog', act: card, ...record('embed.external.description') },
          { value: 'Fog', ...record('embed.external.description'), sent: [] },
        ],
        // The image is loaded, and uploaded: bluesky.test.ts.
        linkCardImageUrl: { value: LINK, ...record('embed.external.thumb'), sent: [] },
      },
    }
  },
}
