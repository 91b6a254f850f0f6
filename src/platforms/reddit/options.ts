import type { FieldOption, FieldOptions } from '../contract/adapter.ts'
import type { Io, Json } from '../contract/io.ts'
import { impossible } from '../contract/publish-error.ts'
import { list, object, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { type Client, clientFor, itemsOf, listing, readPage } from './client.ts'
import { reddit } from './limits.ts'

/** Pages of 100 subreddits each, of one list. */
const PAGES_MAX = 5

/**
 * The subreddits that the account moderates or has joined: https://www.reddit.com/dev/api#GET_subreddits_mine_{where}
 */
export const subredditOptions: FieldOptions = {
  async read(io: Io) {
    const client = clientFor(io)
    const moderated = await readSubreddits(client, 'moderator')
    const joined = await readSubreddits(client, 'subscriber')
    const names = new Set(moderated.items.map((item) => textAt(item, 'display_name')))
    const items = [...moderated.items, ...joined.items.filter((item) => !names.has(textAt(item, 'display_name')))]
    const options = items.map((item) => optionOf(item, names)).filter((option) => option !== undefined)
    return { options, facts: { isComplete: moderated.isComplete && joined.isComplete } }
  },
}

async function readSubreddits(client: Client, where: string): Promise<{ items: unknown[]; isComplete: boolean }> {
  const items: unknown[] = []
  let after: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = new URLSearchParams({ limit: '100', ...(after && { after }) })
    const answer = listing({ display_name: TEXT })
    const response = await client.call(`/subreddits/mine/${where}?${query}`, { answer })
    items.push(...itemsOf(response))
    after = textAt(response.body, 'data', 'after')
    if (!after) return { items, isComplete: true }
  }
  return { items, isComplete: false }
}

function optionOf(item: unknown, moderated: ReadonlySet<string | undefined>): FieldOption | undefined {
  const value = textAt(item, 'display_name')
  if (!value || at(item, 'user_is_banned') === true) return undefined
  const details = {
    title: textAt(item, 'title') ?? null,
    subscribers: numberAt(item, 'subscribers'),
    isModerator: moderated.has(value),
    ...settingsOf(item),
  }
  return { value, label: textAt(item, 'display_name_prefixed') ?? `r/${value}`, details }
}

/** The rules of a subreddit. Null if Reddit does not tell. */
const settingsOf = (about: unknown) => ({
  isNsfw: flagAt(about, 'over18') ?? flagAt(about, 'over_18'),
  submissionType: textAt(about, 'submission_type') ?? null,
  allowsImages: flagAt(about, 'allow_images'),
  allowsVideos: flagAt(about, 'allow_videos'),
  allowsGalleries: flagAt(about, 'allow_galleries'),
})

/**
 * The flairs that the account may set on a new post. The facts are the settings of the subreddit, its rules, and its
 * requirements for posts: https://www.reddit.com/dev/api#POST_api_flairselector, #GET_r_{subreddit}_about_rules,
 * #GET_api_v1_{subreddit}_post_requirements
 */
export const flairOptions: FieldOptions = {
  needs: ['subreddit'],

  async read(io: Io, { subreddit = '' }) {
    const client = clientFor(io)
    if (!NAME.test(subreddit)) throw impossible(`subreddit is ${JSON.stringify(subreddit)}, expected a name without r/`)
    const about = await readPage(client, `/r/${subreddit}/about`, { answer: object({ data: object() }) })
    if (about === undefined) throw impossible(`r/${subreddit} does not exist, or is not open to the account`)
    // Subreddits of profiles may lack these pages.
    const body = new URLSearchParams({ api_type: 'json', is_newlink: 'true' })
    const flairs = await readPage(client, `/r/${subreddit}/api/flairselector`, { method: 'POST', body, answer: FLAIRS })
    const rules = await readPage(client, `/r/${subreddit}/about/rules`, { answer: object({ rules: list() }) })
    const requirements = await readPage(client, `/api/v1/${subreddit}/post_requirements`, { answer: object() })
    return {
      options: listAt(flairs, 'choices').flatMap(flairOf),
      facts: {
        ...settingsOf(at(about, 'data')),
        rules: listAt(rules, 'rules').map(ruleOf),
        ...requirementsOf(requirements),
      },
    }
  },
}

const { pattern } = reddit.fields.subreddit as { pattern: { regex: RegExp } }
const NAME = pattern.regex

const FLAIRS = object({ choices: list(object({ flair_template_id: TEXT })) })

function flairOf(flair: unknown): FieldOption[] {
  const value = textAt(flair, 'flair_template_id')
  const text = textAt(flair, 'flair_text')
  if (!value) return []
  return [{ value, label: text || value, details: { isTextEditable: at(flair, 'flair_text_editable') === true } }]
}

/** `kind`: what the rule is for. `link` stands for posts, `comment` for comments, `all` for both. */
const ruleOf = (rule: unknown): Json => ({
  name: textAt(rule, 'short_name') ?? '',
  description: textAt(rule, 'description') ?? '',
  kind: textAt(rule, 'kind') ?? 'all',
})

/** Null if the subreddit has no such requirement, or Reddit does not say. */
const requirementsOf = (body: unknown) => ({
  isFlairRequired: flagAt(body, 'is_flair_required'),
  titleLengthMin: numberAt(body, 'title_text_min_length'),
  titleLengthMax: numberAt(body, 'title_text_max_length'),
  /** The title has to contain one of them. */
  titleRequiredTexts: textsAt(body, 'title_required_strings'),
  titleForbiddenTexts: textsAt(body, 'title_blacklisted_strings'),
  titlePatterns: textsAt(body, 'title_regexes'),
  /** Whether a text post has a text below its title: `required`, `notAllowed` or `none`. */
  bodyPolicy: textAt(body, 'body_restriction_policy') ?? null,
  bodyLengthMin: numberAt(body, 'body_text_min_length'),
  bodyLengthMax: numberAt(body, 'body_text_max_length'),
  bodyRequiredTexts: textsAt(body, 'body_required_strings'),
  bodyForbiddenTexts: textsAt(body, 'body_blacklisted_strings'),
  bodyPatterns: textsAt(body, 'body_regexes'),
  /** Which list of domains holds: `whitelist`, `blacklist` or `none`. */
  linkPolicy: textAt(body, 'link_restriction_policy') ?? null,
  allowedDomains: textsAt(body, 'domain_whitelist'),
  forbiddenDomains: textsAt(body, 'domain_blacklist'),
  /** For how many days a link may not be posted again. */
  linkRepostDays: numberAt(body, 'link_repost_age'),
  galleryItemsMin: numberAt(body, 'gallery_min_items'),
  galleryItemsMax: numberAt(body, 'gallery_max_items'),
  /** Postroom sends images of galleries without captions and links. */
  galleryCaptionPolicy: textAt(body, 'gallery_captions_requirement') ?? null,
  galleryLinkPolicy: textAt(body, 'gallery_urls_requirement') ?? null,
  guidelines: textAt(body, 'guidelines_text') ?? null,
})

const listAt = (body: unknown, key: string): unknown[] => {
  const list = at(body, key)
  return Array.isArray(list) ? list : []
}

const textsAt = (body: unknown, key: string): string[] => listAt(body, key).filter((text) => typeof text === 'string')

const numberAt = (body: unknown, key: string): number | null => {
  const value = at(body, key)
  return typeof value === 'number' ? value : null
}

const flagAt = (body: unknown, key: string): boolean | null => {
  const value = at(body, key)
  return typeof value === 'boolean' ? value : null
}
