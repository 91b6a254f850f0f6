import type { FieldOption, FieldOptions, Io, Json } from '../adapter.ts'
import { at, textAt } from '../json.ts'
import { impossible, unexpected } from '../publish-error.ts'
import { type Client, clientFor, itemsOf } from './client.ts'
import { reddit } from './limits.ts'

/** Pages of 100 subreddits each, of one list. */
const PAGES_MAX = 5

/** The subreddits that the account moderates or has joined: https://www.reddit.com/dev/api#GET_subreddits_mine_{where} */
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
    const response = await client.call(`/subreddits/mine/${where}?${query}`)
    const found = itemsOf(response)
    if (!found) throw unexpected(client.host, false)
    items.push(...found)
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

/** What may be posted to a subreddit. Null where Reddit does not say. */
const settingsOf = (about: unknown) => ({
  isNsfw: flagAt(about, 'over18') ?? flagAt(about, 'over_18'),
  submissionType: textAt(about, 'submission_type') ?? null,
  allowsImages: flagAt(about, 'allow_images'),
  allowsVideos: flagAt(about, 'allow_videos'),
  allowsGalleries: flagAt(about, 'allow_galleries'),
})

/**
 * The flairs that the account may set on a new post. The facts are the rules of the subreddit, and what it requires of posts:
 * https://www.reddit.com/dev/api#POST_api_flairselector, #GET_r_{subreddit}_about_rules,
 * #GET_api_v1_{subreddit}_post_requirements
 */
export const flairOptions: FieldOptions = {
  needs: ['subreddit'],

  async read(io: Io, { subreddit = '' }) {
    const client = clientFor(io)
    if (!NAME.test(subreddit)) throw impossible(`subreddit is ${JSON.stringify(subreddit)}, expected a name without r/`)
    const about = await client.call(`/r/${subreddit}/about`, { accept: [302, 403, 404] })
    if (about.status !== 200) throw impossible(`r/${subreddit} does not exist, or is not open to the account`)
    // 403: no flairs for this account, or none of these pages for the subreddit of a profile.
    const accept = [403, 404]
    const form = new URLSearchParams({ api_type: 'json', is_newlink: 'true' })
    const flairs = await client.call(`/r/${subreddit}/api/flairselector`, { method: 'POST', body: form, accept })
    const rules = await client.call(`/r/${subreddit}/about/rules`, { accept })
    const requirements = await client.call(`/api/v1/${subreddit}/post_requirements`, { accept })
    return {
      options: listAt(flairs.body, 'choices').flatMap(flairOf),
      facts: {
        ...settingsOf(at(about.body, 'data')),
        rules: listAt(rules.body, 'rules').map(ruleOf),
        ...requirementsOf(requirements.body),
      },
    }
  },
}

const { pattern } = reddit.fields.subreddit as { pattern: { regex: RegExp } }
const NAME = pattern.regex

function flairOf(flair: unknown): FieldOption[] {
  const [value, text] = [textAt(flair, 'flair_template_id'), textAt(flair, 'flair_text')]
  if (!value) return []
  return [{ value, label: text || value, details: { isTextEditable: at(flair, 'flair_text_editable') === true } }]
}

/** `kind`: `all`, `link` for posts, or `comment`. */
const ruleOf = (rule: unknown): Json => ({
  name: textAt(rule, 'short_name') ?? '',
  description: textAt(rule, 'description') ?? '',
  kind: textAt(rule, 'kind') ?? 'all',
})

const requirementsOf = (body: unknown) => ({
  isFlairRequired: at(body, 'is_flair_required') === true,
  titleLengthMin: numberAt(body, 'title_text_min_length'),
  titleLengthMax: numberAt(body, 'title_text_max_length'),
  titleRequiredTexts: textsAt(body, 'title_required_strings'),
  titleForbiddenTexts: textsAt(body, 'title_blacklisted_strings'),
  /** `required`, `notAllowed` or `none`. */
  bodyPolicy: textAt(body, 'body_restriction_policy') ?? null,
  /** `whitelist`, `blacklist` or `none`. */
  linkPolicy: textAt(body, 'link_restriction_policy') ?? null,
  allowedDomains: textsAt(body, 'domain_whitelist'),
  forbiddenDomains: textsAt(body, 'domain_blacklist'),
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
