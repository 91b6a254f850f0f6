import type { Act, PublishedFile } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import type { ContainerPlan, Parameters } from '../families/meta/containers.ts'
import { at, textAt } from '../wire/json.ts'
import { publicUrlOf } from '../wire/request-body.ts'
import { threadsContent } from './content.ts'

/** The names of the options of a poll: https://developers.facebook.com/docs/threads/create-posts/polls */
const POLL_OPTIONS = ['option_a', 'option_b', 'option_c', 'option_d']

/**
 * The parameters of https://developers.facebook.com/documentation/threads/reference/publishing. Replies take the same
 * files as posts: https://developers.facebook.com/docs/threads/retrieve-and-manage-replies/replies-and-conversations.
 */
export function planContainers(act: Act): ContainerPlan {
  const { media, fields, parent } = act
  const common = parametersOf(act)
  const { altTexts } = threadsContent(act)
  const [file] = media
  if (!file) return { children: [], parent: () => ({ media_type: 'TEXT', ...common, ...attachmentsOf(act) }) }
  const hasLink = fields.linkAttachment !== undefined && !parent
  if (hasLink || Object.keys(attachmentsOf(act)).length > 0) {
    throw impossible('Threads shows links, polls and text attachments only in posts without media')
  }
  if (media.length === 1) {
    const parameters = { ...fileParameters(file, altTexts[0]), ...common }
    return { children: [], parent: () => parameters }
  }
  return {
    children: media.map((each, index) => ({ is_carousel_item: 'true', ...fileParameters(each, altTexts[index]) })),
    parent: (ids) => ({ media_type: 'CAROUSEL', children: ids.join(','), ...common }),
  }
}

function parametersOf(act: Act): Parameters {
  const { kind, fields, parent } = act
  const { text } = threadsContent(act)
  const isFirst = kind === 'post' && !parent
  const countries = fields.countryCodes as string[] | undefined
  return {
    ...(text && { text }),
    ...(parent && { reply_to_id: parent.id }),
    // A reply that is shown elsewhere than its post would be out of context.
    ...(countries && countries.length > 0 && { allowlisted_country_codes: countries.join(',') }),
    ...(isFirst && optional('reply_control', textAt(fields, 'replyControl'))),
    ...(isFirst && optional('topic_tag', textAt(fields, 'topicTag'))),
    ...(isFirst && optional('quote_post_id', textAt(fields, 'quotePostId'))),
  }
}

/** The parameters that only a first post without media can have. */
function attachmentsOf(act: Act): Parameters {
  const { kind, fields, parent } = act
  if (kind !== 'post' || parent) return {}
  const plaintext = textAt(fields, 'textAttachment')
  const poll = fields.poll === undefined ? undefined : JSON.stringify(pollOf(fields.poll))
  return {
    ...optional('link_attachment', threadsContent(act).link?.url),
    ...optional('text_attachment', plaintext && JSON.stringify({ plaintext })),
    ...optional('poll_attachment', poll),
  }
}

/** Threads ignores polls of another form. */
function pollOf(poll: unknown): object {
  const options = at(poll, 'options')
  if (!Array.isArray(options) || options.length < 2 || options.length > POLL_OPTIONS.length) {
    throw impossible('A poll on Threads has 2 to 4 options')
  }
  return Object.fromEntries(options.map((option, index) => [POLL_OPTIONS[index], String(option)]))
}

function fileParameters(file: PublishedFile, altText: string | undefined): Parameters {
  const url = publicUrlOf(file, 'Threads')
  const isVideo = file.kind === 'video'
  return {
    ...(isVideo ? { media_type: 'VIDEO', video_url: url } : { media_type: 'IMAGE', image_url: url }),
    ...optional('alt_text', altText),
  }
}

const optional = (name: string, value: string | undefined): Parameters => (value ? { [name]: value } : {})
