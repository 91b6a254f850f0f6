import type { PartLink } from '../../../schemas/post-part.ts'
import type { Act } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import { at, textAt } from '../wire/json.ts'
import type { Client } from './client.ts'
import { linkedinContent } from './content.ts'
import type { Uploads } from './upload.ts'

/** The body of https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api. */
export function postOf(
  act: Act,
  { author, isOrganization }: Client,
  uploads: Pick<Uploads, 'urns' | 'thumbnail'>,
): object {
  const { fields } = act
  if (isOrganization && fields.visibility === 'CONNECTIONS') {
    throw impossible('An organization has no connections: set fields.visibility to PUBLIC or LOGGED_IN')
  }
  const content = contentOf(act, uploads)
  return {
    author,
    commentary: linkedinContent(act).escapedText,
    visibility: fields.visibility ?? 'PUBLIC',
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(content && { content }),
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor: fields.disableReshare ?? false,
  }
}

/** The files, the link or the poll of a post: LinkedIn shows one of them. */
function contentOf(act: Act, { urns, thumbnail }: Parameters<typeof postOf>[2]): object | undefined {
  const { media, fields } = act
  const { poll } = fields
  const { title, altTexts, link } = linkedinContent(act)
  const shown = [
    media.length > 0 && 'media',
    fields.link !== undefined && 'fields.link',
    poll !== undefined && 'fields.poll',
  ]
  const contents = shown.filter((content) => content !== false)
  if (contents.length > 1) throw impossible(`LinkedIn shows only one of ${contents.join(' and ')}: remove the others`)
  if (link) return { article: { ...articleOf(link), ...(thumbnail && { thumbnail }) } }
  if (poll !== undefined) return { poll: pollOf(poll) }
  const [file] = media
  if (!file) return undefined
  // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/multiimage-post-api: 2 to 20.
  if (media.length > 1) {
    const alone = media.find(({ kind }) => kind === 'video' || kind === 'document')
    if (alone) throw impossible(`LinkedIn shows a ${alone.kind} only without other files`)
    return { multiImage: { images: media.map((_, index) => ({ id: urns[index], ...describe(altTexts[index]) })) } }
  }
  if (file.kind === 'document' && !title) throw impossible('A document on LinkedIn needs fields.mediaTitle')
  return { media: { id: urns[0], ...(title && { title }), ...describe(altTexts[0]) } }
}

const describe = (altText: string | undefined) => altText && { altText }

const articleOf = ({ url: source, title, description }: PartLink) => ({
  source,
  title,
  ...(description && { description }),
})

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/poll-post-api */
function pollOf(poll: unknown): object {
  const question = textAt(poll, 'question')
  const options = at(poll, 'options')
  const duration = textAt(poll, 'duration')
  if (question === undefined || !Array.isArray(options)) {
    throw impossible('fields.poll has to have a question and options, a list of 2 to 4 texts')
  }
  return {
    question,
    options: options.map((text: unknown) => ({ text })),
    settings: { duration: duration ?? 'THREE_DAYS' },
  }
}
