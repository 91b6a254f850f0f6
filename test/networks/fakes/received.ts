import type { PartLink, TextEntity } from '../../../schemas/post-part.ts'
import { at, textAt } from '../../../src/platforms/wire/json.ts'
import type { Fakes } from './all.ts'

/** A post, a part of a thread or a comment, as its network received it. */
export interface Received {
  text: string
  title: string | undefined
  /** One for each file. */
  altTexts: (string | null)[]
  link: Partial<PartLink> | undefined
  /** Absent on networks that find them in the text. */
  entities?: TextEntity[]
}

const received = ({ text = '', title, altTexts = [], link, entities }: Partial<Received>): Received => ({
  text,
  title: title || undefined,
  altTexts,
  link,
  ...(entities && { entities }),
})

const linkTo = (url: string | undefined) => (url ? { url } : undefined)
const nulls = (count: number) => Array<null>(count).fill(null)
const bodiesOf = ({ calls }: Fakes[keyof Fakes], path: RegExp) =>
  calls.filter((call) => call.method === 'POST' && path.test(call.path)).map(({ body }) => body)
const listAt = (json: unknown, ...path: (string | number)[]): unknown[] => {
  const list = at(json, ...path)
  return Array.isArray(list) ? list : []
}

type Reader<id extends keyof Fakes> = (fake: Fakes[id]) => Received[]

/** Everything that the fakes have received so far. */
export const RECEIVED: { [id in keyof Fakes]: Reader<id> } = {
  x: ({ posts, media }) =>
    posts.map(({ sent, media: ids }) =>
      received({ text: sent, altTexts: ids.map((id) => media.uploads.get(id)!.altText) }),
    ),

  bluesky: ({ posts }) =>
    [...posts.values()].map((record) => {
      const text = textAt(record, 'text') ?? ''
      const embed = at(record, 'embed')
      const files = [...listAt(embed, 'images'), ...listAt(embed, 'items'), ...(at(embed, 'video') ? [embed] : [])]
      const external = at(embed, 'external') as Record<string, string> | undefined
      return received({
        text,
        altTexts: files.map((file) => textAt(file, 'alt') || null),
        link: external && { url: external.uri!, title: external.title!, description: external.description! },
        entities: listAt(record, 'facets').map((facet) => entityOf(facet, text)),
      })
    }),

  mastodon: (fake) => {
    const attached = fake.statuses.flatMap(({ media_attachments: media }) => media)
    const descriptions = new Map(attached.map(({ id, description }) => [id, description]))
    // A status without a text shows its spoiler text in place.
    return bodiesOf(fake, /\/statuses$/).map((body) => {
      const ids = listAt(body, 'media_ids').map(String)
      return received({ text: textAt(body, 'status') ?? '', altTexts: ids.map((id) => descriptions.get(id) ?? null) })
    })
  },

  linkedin: ({ posts, comments }) => [
    ...posts.map(({ json }) => {
      const { commentary, content } = JSON.parse(json)
      const { media, multiImage, article } = content ?? {}
      const files: { altText?: string }[] = multiImage?.images ?? (media ? [media] : [])
      const { source: url, thumbnail: _, ...card } = article ?? {}
      const altTexts = files.map(({ altText }) => altText ?? null)
      return received({ text: commentary, title: media?.title, altTexts, link: article && { url, ...card } })
    }),
    ...comments.map(({ text }) => received({ text })),
  ],

  facebook: (fake) => {
    const altTextOf = (id: string) => fake.photos.get(id)?.altText ?? null
    return [
      ...bodiesOf(fake, /\/feed$/).map((body) => {
        const { message, link, ...others } = body as Record<string, string>
        const photos = Object.entries(others).filter(([key]) => key.startsWith('attached_media['))
        const altTexts = photos.map(([, value]) => altTextOf(JSON.parse(value).media_fbid))
        return received({ text: message ?? '', altTexts, link: linkTo(link) })
      }),
      ...bodiesOf(fake, /\/photo_stories$/).map((body) =>
        received({ altTexts: [altTextOf(textAt(body, 'photo_id')!)] }),
      ),
      ...[...fake.video.videos.values()].map(({ finished }) =>
        received({ text: finished?.description ?? '', title: finished?.title, altTexts: [null] }),
      ),
      ...fake.comments.map(({ message }) => received({ text: message })),
    ]
  },

  instagram: ({ posts, containers, comments }) => [
    ...posts.map(({ parameters }) =>
      received({ text: parameters.caption ?? '', altTexts: altTextsOfContainer(parameters, containers) }),
    ),
    ...comments.map(({ text }) => received({ text })),
  ],

  threads: ({ posts, containers }) =>
    posts.map(({ parameters }) => {
      const hasFiles = parameters.media_type !== 'TEXT'
      return received({
        text: parameters.text ?? '',
        altTexts: hasFiles ? altTextsOfContainer(parameters, containers) : [],
        link: linkTo(parameters.link_attachment),
      })
    }),

  google_business: ({ posts }) =>
    posts.map(({ content }) =>
      received({
        text: textAt(content, 'summary') ?? '',
        title: textAt(content, 'event', 'title'),
        altTexts: nulls(listAt(content, 'media').length),
        link: linkTo(textAt(content, 'callToAction', 'url')),
      }),
    ),

  telegram: (fake) =>
    bodiesOf(fake, /\/send\w+$/).map((body) => {
      const album = textAt(body, 'media') ? JSON.parse(textAt(body, 'media')!) : undefined
      const text = textAt(body, 'text') ?? textAt(body, 'caption') ?? textAt(album, 0, 'caption') ?? ''
      return received({ text, altTexts: nulls(album?.length ?? (textAt(body, 'text') === undefined ? 1 : 0)) })
    }),

  discord: (fake) =>
    bodiesOf(fake, /\/webhooks\//).map((body) => {
      const json = textAt(body, 'payload_json')
      const { content = '', thread_name: title, attachments = [] } = json ? JSON.parse(json) : body
      const altTexts = attachments.map(({ description }: { description?: string }) => description ?? null)
      return received({ text: content, title, altTexts })
    }),

  pinterest: ({ pins }) =>
    pins.map(({ title, description, link, alt_text: altText, media_source: source }) =>
      received({
        text: description ?? '',
        title: title ?? undefined,
        altTexts: [altText ?? null, ...nulls((source.items?.length ?? 1) - 1)],
        link: linkTo(link),
      }),
    ),

  reddit: ({ posts, comments }) => [
    ...posts.map(({ form, assets, isGallery }) => {
      const [kind, url] = [textAt(form, 'kind'), textAt(form, 'url')]
      const isFile = kind !== 'self' && kind !== 'link'
      return received({
        text: textAt(form, 'text') ?? '',
        title: textAt(form, 'title'),
        altTexts: nulls(isGallery ? assets.length : isFile ? 1 : 0),
        link: isFile ? undefined : linkTo(url),
      })
    }),
    ...comments.map(({ body }) => received({ text: body })),
  ],

  tiktok: (fake) => [
    ...bodiesOf(fake, /\/content\/init\/$/).map((body) =>
      received({
        text: textAt(body, 'post_info', 'description') ?? '',
        title: textAt(body, 'post_info', 'title'),
        altTexts: nulls(listAt(body, 'source_info', 'photo_images').length),
      }),
    ),
    ...bodiesOf(fake, /\/video\/init\/$/).map((body) =>
      received({ text: textAt(body, 'post_info', 'title') ?? '', altTexts: [null] }),
    ),
  ],

  youtube: ({ videos, comments }) => [
    ...videos.map(({ snippet: { title, description } }) =>
      received({ text: description ?? '', title, altTexts: [null] }),
    ),
    ...comments.map(({ text }) => received({ text })),
  ],
}

type Parameters = Record<string, string>

/** The alternative texts of a container of Instagram or Threads: its own, or those of its children. */
function altTextsOfContainer(
  { children, alt_text: altText }: Parameters,
  containers: ReadonlyMap<string, { parameters: Parameters }>,
): (string | null)[] {
  if (!children) return [altText ?? null]
  return children.split(',').map((id) => containers.get(id)!.parameters.alt_text ?? null)
}

function entityOf(facet: unknown, text: string): TextEntity {
  const bytes = Buffer.from(text)
  const unitsBefore = (key: string) => bytes.toString('utf8', 0, Number(at(facet, 'index', key))).length
  const [type = '', tag = ''] = [textAt(facet, 'features', 0, '$type'), textAt(facet, 'features', 0, 'tag')]
  const types = { '#link': 'link', '#mention': 'mention', '#tag': tag.startsWith('$') ? 'cashtag' : 'hashtag' } as const
  return {
    type: types[type.slice(type.indexOf('#')) as keyof typeof types],
    start: unitsBefore('byteStart'),
    end: unitsBefore('byteEnd'),
  }
}
