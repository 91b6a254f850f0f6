import type { Recorded, Reply } from './network.ts'
import type { FakeRedditState, RedditPost, Subreddit } from './reddit.ts'
import { forbidden, toSearch } from './reddit-replies.ts'

const ok = (body: unknown): Reply => ({ status: 200, body })

/**
 * HTML-encodes the texts of a reply to a request without `raw_json`:
 * https://www.reddit.com/dev/api#response_body_encoding
 */
const encoded = (reply: Reply, { query }: Recorded): Reply => {
  if (query.raw_json === '1') return reply
  const text = JSON.stringify(reply.body)
  return { ...reply, body: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') }
}

/** Serves the data that apps read: the user, their lists and subreddits. */
export function serveSubreddits(state: FakeRedditState) {
  const { user, subreddits, posts, comments } = state

  /** https://www.reddit.com/dev/api#listings: at most 100 items. */
  const listing = <T>(kind: string, items: readonly T[], query: Record<string, string>, show: (item: T) => object) => {
    const size = Math.min(state.switches.pageSizeMax, Number(query.limit ?? 25))
    const start = query.after ? Number(query.after.split('_')[1]) : 0
    const shown = items.slice(start, start + size)
    const after = start + size < items.length ? `${kind}_${start + size}` : null
    const children = shown.map((item) => ({ kind, data: show(item) }))
    return ok({ kind: 'Listing', data: { after, dist: shown.length, modhash: null, geo_filter: '', children } })
  }

  function readPosts({ query }: Recorded): Reply {
    const isShown = (post: RedditPost) => post.shownAt <= state.clock() && post.looksLeft-- <= 0
    return listing('t3', posts.filter(isShown), query, (post) => ({
      id: post.id,
      name: post.name,
      author: post.author,
      subreddit: post.subreddit,
      title: post.title,
      selftext: post.selftext,
      permalink: post.permalink,
      url: post.url,
      is_self: post.isSelf,
      is_video: post.url.startsWith('https://v.redd.it/'),
      created_utc: Math.floor(post.createdAt / 1000),
      removed_by_category: state.switches.isFiltered ? 'reddit' : null,
      ...(post.isGallery && {
        is_gallery: true,
        gallery_data: state.switches.hidesGalleryItems
          ? null
          : { items: post.assets.map((id, index) => ({ media_id: id, id: index + 1 })) },
      }),
    }))
  }

  const readComments = ({ query }: Recorded) =>
    listing(
      't1',
      comments.filter(({ shownAt }) => shownAt <= state.clock()),
      query,
      (comment) => state.shownComment(comment),
    )

  const about = (subreddit: Subreddit) => ({
    display_name: subreddit.name,
    display_name_prefixed: `r/${subreddit.name}`,
    title: subreddit.title,
    subscribers: 7,
    over18: subreddit.isNsfw,
    submission_type: subreddit.submissionType,
    allow_images: subreddit.allowImages,
    allow_videos: subreddit.allowVideos,
    allow_galleries: subreddit.allowGalleries,
    user_is_banned: subreddit.isBanned,
    user_is_moderator: subreddit.isModerated,
    user_is_subscriber: subreddit.isJoined,
  })

  const list = ({ query, path }: Recorded) => {
    const isListed = ({ isModerated, isJoined }: Subreddit) => (path.endsWith('/moderator') ? isModerated : isJoined)
    return listing('t5', [...subreddits.values()].filter(isListed), query, about)
  }

  function find({ path }: Recorded): Subreddit {
    const [, name = ''] = /^\/(?:r|api\/v1)\/([\w-]+)\//.exec(path) ?? []
    const subreddit = subreddits.get(name.toLowerCase()) ?? toSearch(name)
    if (subreddit.isPrivate) forbidden('private')
    return subreddit
  }

  const readFlairs = (call: Recorded): Reply => {
    const { is_newlink: isNew } = (call.body ?? {}) as Record<string, string>
    const { flairs } = find(call)
    // If `is_newlink` is absent, the choices are flairs of users.
    const choices = (isNew === 'true' ? flairs : []).map(({ id, text, isTextEditable }) => ({
      flair_css_class: '',
      flair_template_id: id,
      flair_text_editable: isTextEditable,
      flair_position: 'right',
      flair_text: text,
    }))
    const current = { flair_css_class: '', flair_template_id: null, flair_text: null, flair_position: 'right' }
    return ok({ current, choices })
  }

  const readRules = (call: Recorded): Reply => {
    const rules = find(call).rules.map(({ name, description, kind }, priority) => ({
      kind,
      description,
      short_name: name,
      violation_reason: name,
      created_utc: 1_587_949_210,
      priority,
    }))
    return ok({ rules, site_rules: ['Spam'], site_rules_flow: [] })
  }

  const readRequirements = (call: Recorded): Reply =>
    ok({
      domain_blacklist: ['fakewebsite.example'],
      body_restriction_policy: 'none',
      domain_whitelist: [],
      title_regexes: [],
      body_blacklisted_strings: [],
      body_required_strings: [],
      title_text_min_length: null,
      is_flair_required: find(call).isFlairRequired,
      title_text_max_length: null,
      body_regexes: [],
      link_repost_age: null,
      body_text_min_length: null,
      link_restriction_policy: 'blacklist',
      body_text_max_length: null,
      title_required_strings: [],
      title_blacklisted_strings: ['spam'],
      guidelines_text: 'Look before you post',
      guidelines_display_policy: 'all',
    })

  const READS: Record<string, (call: Recorded) => Reply> = {
    'GET /api/v1/me': () => ok({ id: user.id, name: user.name, created_utc: 1_575_168_181, is_suspended: false }),
    'GET /user/:name/submitted': readPosts,
    'GET /user/:name/comments': readComments,
    'GET /subreddits/mine/moderator': list,
    'GET /subreddits/mine/subscriber': list,
    'GET /r/:subreddit/about': (call) => ok({ kind: 't5', data: about(find(call)) }),
    'GET /r/:subreddit/about/rules': readRules,
    'POST /r/:subreddit/api/flairselector': readFlairs,
    'GET /api/v1/:subreddit/post_requirements': readRequirements,
  }

  return (name: string, call: Recorded): Reply => encoded(READS[name]!(call), call)
}
