import t from 'tap'
import { type PlatformId, POST_TYPES, type PostType } from '../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { platforms } from '../../src/platforms/catalogue.ts'
import type { Source, TextUnit } from '../../src/platforms/limits.ts'

/** All objects inside `value` that have a source, with their paths. */
function findSources(value: object, path: string): { path: string; source: Source }[] {
  const found = Object.entries(value).flatMap(([key, child]) =>
    typeof child === 'object' && child !== null && key !== 'source' && !(child instanceof RegExp)
      ? findSources(child, `${path}.${key}`)
      : [],
  )
  return 'source' in value ? [{ path, source: value.source as Source }, ...found] : found
}

t.test('every network is in the catalogue under its id, and every rule has a source', async (t) => {
  t.same(Object.keys(platforms), PLATFORM_IDS)
  for (const [id, platform] of Object.entries(platforms)) {
    t.equal(platform.id, id)
    const { caption, title, firstComment, thread, postTypes, fields, rateLimits, guarantees } = platform
    const rules = [
      caption,
      title,
      firstComment,
      thread,
      ...Object.values(postTypes).flatMap((rule) => [rule, rule.image, rule.gif, rule.video]),
      ...Object.values(fields),
      ...rateLimits,
      ...guarantees,
    ].filter((rule) => rule !== undefined)
    for (const rule of rules) t.type(rule.source, 'object', `${id}: ${JSON.stringify(rule).slice(0, 60)}`)
    for (const { path, source } of findSources(platform, id)) {
      t.ok(URL.canParse(source.url) && source.url.startsWith('https://'), `${path}: ${source.url}`)
      t.ok(source.version !== '', path)
    }
  }
})

t.test('the rules of each network are consistent', async (t) => {
  for (const [id, { postTypes, fields, title, firstComment, thread, caption }] of Object.entries(platforms)) {
    t.ok(postTypes.post, `${id} supports the default post type`)
    t.equal(
      thread !== undefined,
      postTypes.thread !== undefined,
      `${id}: the post type thread and the rule for threads come together`,
    )
    t.ok(!title || fields[title.field]?.type === 'string', `${id}: the title is one of its fields`)
    t.ok(!title || !('lengthMax' in fields[title.field]!), `${id}: the title's length is defined once`)
    t.ok(firstComment?.postTypes?.every((type) => postTypes[type]) ?? true, id)
    if (thread) t.equal(thread.unit, caption.unit, id)
    t.ok(
      !title || !('pattern' in fields[title.field]!),
      `${id}: the title has no pattern beside its forbidden characters`,
    )
    for (const regex of findPatterns(fields)) {
      t.equal(regex.flags, '', `${id}: ${regex} is a pattern of JSON Schema, which has no flags`)
      t.ok(new RegExp(regex.source, 'u'), `${id}: ${regex} is one for validators that use Unicode`)
    }
    for (const [type, rule] of Object.entries(postTypes)) {
      const name = `${id} ${type}`
      t.ok(POST_TYPES.includes(type as PostType), name)
      t.ok(rule.mediaMin <= rule.mediaMax, name)
      t.ok(Math.max(rule.imagesMax, rule.videosMax, rule.gifsMax) <= rule.mediaMax, name)
      t.equal(rule.image !== undefined, rule.imagesMax > 0, `${name}: images have a rule if they are allowed`)
      t.equal(rule.video !== undefined, rule.videosMax > 0, `${name}: videos have a rule if they are allowed`)
      t.equal(rule.gif !== undefined, rule.gifsMax > 0, `${name}: GIFs have a rule if they are allowed`)
      for (const file of [rule.image, rule.gif, rule.video]) {
        if (!file) continue
        t.ok(
          file.mimeTypes.length > 0 && file.mimeTypes.every((mime) => /^(image|video)\/[a-z0-9-]+$/.test(mime)),
          name,
        )
        t.ok((file.bytesMin ?? 0) < (file.bytesMax ?? Number.POSITIVE_INFINITY), name)
        t.ok((file.aspectRatioMin ?? 0) < (file.aspectRatioMax ?? Number.POSITIVE_INFINITY), name)
      }
      if (rule.gif || rule.image?.stillGifs) {
        t.notOk(rule.image?.mimeTypes.includes('image/gif'), `${name}: a GIF has one kind`)
      }
    }
  }
})

const findPatterns = (value: unknown): RegExp[] => {
  if (value instanceof RegExp) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findPatterns) : []
}

interface Facts {
  caption: [lengthMax: number, unit: TextUnit]
  firstComment: number | null
  thread: [partsMax: number, lengthMax: number] | null
  title: [field: string, lengthMax: number] | null
  /** [mediaMin, mediaMax] of each post type. */
  types: Partial<Record<PostType, [number, number]>>
  /** bytesMax of an image, a GIF and a video of the post type post. */
  bytes: [number | null, number | null, number | null]
  /** durationMaxSeconds of a video of the post type post. */
  durationMaxSeconds: number | null
  fields: number
  requiredFields: string[]
}

const MiB = 2 ** 20

/** The main values a second time, to detect accidental changes of the data. */
const expected: Record<PlatformId, Facts> = {
  instagram: {
    caption: [2200, 'UTF-16 units'],
    firstComment: 2200,
    thread: null,
    title: null,
    types: { post: [1, 10], carousel: [2, 10], reel: [1, 1], story: [1, 1] },
    bytes: [8 * MiB, null, 300 * MiB],
    durationMaxSeconds: 900,
    fields: 11,
    requiredFields: [],
  },
  facebook: {
    caption: [63_206, 'UTF-16 units'],
    firstComment: 8000,
    thread: [1, 63_206],
    title: ['title', 255],
    types: { post: [0, 10], carousel: [2, 10], reel: [1, 1], story: [1, 1], video: [1, 1], thread: [0, 10] },
    bytes: [10 * MiB, null, 10_240 * MiB],
    durationMaxSeconds: 14_400,
    fields: 5,
    requiredFields: [],
  },
  threads: {
    caption: [500, 'threads'],
    firstComment: 500,
    thread: [25, 500],
    title: null,
    types: { post: [0, 20], carousel: [2, 20], video: [1, 1], thread: [0, 20] },
    bytes: [8 * MiB, null, 1024 * MiB],
    durationMaxSeconds: 300,
    fields: 8,
    requiredFields: [],
  },
  x: {
    caption: [280, 'x'],
    firstComment: 280,
    thread: [25, 280],
    title: null,
    types: { post: [0, 4], carousel: [2, 4], video: [1, 1], thread: [0, 4] },
    bytes: [5 * MiB, 15 * MiB, 512 * MiB],
    durationMaxSeconds: 140,
    fields: 10,
    requiredFields: [],
  },
  linkedin: {
    caption: [3000, 'UTF-16 units'],
    firstComment: 1250,
    thread: [1, 3000],
    title: ['linkTitle', 200],
    types: { post: [0, 20], carousel: [2, 20], video: [1, 1], thread: [0, 20] },
    bytes: [null, null, 500 * MiB],
    durationMaxSeconds: 1800,
    fields: 8,
    requiredFields: [],
  },
  tiktok: {
    caption: [2200, 'UTF-16 units'],
    firstComment: null,
    thread: null,
    title: ['title', 90],
    types: { post: [1, 35], carousel: [2, 35], video: [1, 1] },
    bytes: [20 * MiB, null, 4096 * MiB],
    durationMaxSeconds: 600,
    fields: 12,
    requiredFields: ['privacyLevel'],
  },
  youtube: {
    caption: [5000, 'bytes'],
    firstComment: 10_000,
    thread: null,
    title: ['title', 100],
    types: { post: [1, 1], video: [1, 1], short: [1, 1] },
    bytes: [null, null, 262_144 * MiB],
    durationMaxSeconds: 43_200,
    fields: 12,
    requiredFields: [],
  },
  pinterest: {
    caption: [800, 'code points'],
    firstComment: null,
    thread: null,
    title: ['title', 100],
    types: { post: [1, 1], carousel: [2, 5], video: [1, 1] },
    bytes: [20 * MiB, null, 2048 * MiB],
    durationMaxSeconds: 900,
    fields: 9,
    requiredFields: ['boardId', 'coverUrl'],
  },
  bluesky: {
    caption: [300, 'graphemes'],
    firstComment: 300,
    thread: [25, 300],
    title: null,
    types: { post: [0, 4], carousel: [2, 10], video: [1, 1], thread: [0, 4] },
    bytes: [2_000_000, 300_000_000, 300_000_000],
    durationMaxSeconds: 600,
    fields: 6,
    requiredFields: [],
  },
  mastodon: {
    caption: [500, 'mastodon'],
    firstComment: 500,
    thread: [25, 500],
    title: null,
    types: { post: [0, 4], carousel: [2, 4], video: [1, 1], thread: [0, 4] },
    bytes: [16 * MiB, 16 * MiB, 99 * MiB],
    durationMaxSeconds: null,
    fields: 7,
    requiredFields: [],
  },
  telegram: {
    caption: [4096, 'code points'],
    firstComment: 4096,
    thread: null,
    title: null,
    types: { post: [0, 10], carousel: [2, 10], video: [1, 1] },
    bytes: [10 * MiB, 50 * MiB, 50 * MiB],
    durationMaxSeconds: null,
    fields: 7,
    requiredFields: [],
  },
  reddit: {
    caption: [40_000, 'code points'],
    firstComment: 10_000,
    thread: null,
    title: ['title', 300],
    types: { post: [0, 20], carousel: [2, 20], video: [1, 1] },
    bytes: [20 * MiB, 20 * MiB, 1024 * MiB],
    durationMaxSeconds: 900,
    fields: 9,
    requiredFields: ['subreddit', 'flairId', 'link'],
  },
  google_business: {
    caption: [1500, 'UTF-16 units'],
    firstComment: null,
    thread: null,
    title: ['eventTitle', 58],
    types: { post: [0, 1] },
    bytes: [5 * MiB, null, null],
    durationMaxSeconds: null,
    fields: 10,
    requiredFields: ['callToActionUrl', 'eventTitle', 'eventStart', 'eventEnd'],
  },
  discord: {
    caption: [2000, 'code points'],
    firstComment: 2000,
    thread: null,
    title: ['threadName', 100],
    types: { post: [0, 10], carousel: [2, 10], video: [1, 1] },
    bytes: [10 * MiB, 10 * MiB, 10 * MiB],
    durationMaxSeconds: null,
    fields: 9,
    requiredFields: [],
  },
  sandbox: {
    caption: [280, 'x'],
    firstComment: 280,
    thread: [25, 280],
    title: null,
    types: { post: [0, 4], carousel: [2, 4], video: [1, 1], thread: [0, 4] },
    bytes: [5 * MiB, 15 * MiB, 512 * MiB],
    durationMaxSeconds: 140,
    fields: 6,
    requiredFields: [],
  },
}

t.test('the catalogue has the expected main values', async (t) => {
  for (const id of PLATFORM_IDS) {
    const { caption, firstComment, thread, title, postTypes, fields } = platforms[id]
    const { image, gif, video } = postTypes.post!
    const facts: Facts = {
      caption: [caption.lengthMax, caption.unit],
      firstComment: firstComment?.lengthMax ?? null,
      thread: thread ? [thread.partsMax, thread.lengthMax] : null,
      title: title ? [title.field, title.lengthMax] : null,
      types: Object.fromEntries(
        Object.entries(postTypes).map(([type, rule]) => [type, [rule.mediaMin, rule.mediaMax]]),
      ),
      bytes: [image?.bytesMax ?? null, gif?.bytesMax ?? null, video?.bytesMax ?? null],
      durationMaxSeconds: video?.durationMaxSeconds ?? null,
      fields: Object.keys(fields).length,
      requiredFields: Object.keys(fields).filter((key) => fields[key]!.required),
    }
    t.same(facts, expected[id], id)
  }
})
