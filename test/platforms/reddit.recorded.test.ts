import t from 'tap'
import type { Teardown } from '../helpers/database.ts'
import { startReddit } from '../networks/fakes/reddit.ts'

// The shapes of the traffic that PRAW and prawcore recorded with Reddit: each key, and the type of its value. The
// fake's replies have to match them. Their texts are not copied. `?`: null in the recording, or in the fake.

const PRAW = 'https://github.com/praw-dev/praw/blob/main/tests/integration/cassettes'
const PRAWCORE = 'https://github.com/praw-dev/prawcore/blob/main/tests/integration/cassettes'

interface Recording {
  /** The address of the file. `date` is the day of the recording. */
  source: string
  date: string
  status: number
  /** Such as `json.errors:list`. An item of a list has the number 0. */
  shape: string
  /** Keys that the recording has, and the fake has not. */
  hasMore?: true
  /** The same call to the fake. */
  call(reddit: Caller): Promise<Answer>
}

interface Answer {
  status: number
  body: unknown
}

type Caller = Awaited<ReturnType<typeof start>>

const POST =
  'id:text name:text author:text subreddit:text title:text selftext:text permalink:text url:text is_self:boolean is_video:boolean created_utc:number removed_by_category:?'
const SUBREDDIT =
  'display_name:text display_name_prefixed:text title:text subscribers:number over18:boolean submission_type:text allow_images:boolean allow_videos:boolean allow_galleries:boolean user_is_banned:boolean user_is_moderator:boolean user_is_subscriber:boolean'
const LISTING =
  'kind:text data.after:? data.dist:number data.modhash:? data.geo_filter:text data.children:list data.children.0.kind:text'
const inside = (path: string, keys: string) => keys.replaceAll(/(^| )(?=\w)/g, `$1${path}.`)
const TOKENS = 'access_token:text token_type:text expires_in:number refresh_token:text scope:text'

const RECORDINGS: Recording[] = [
  {
    source: `${PRAWCORE}/TestAuthorizer.test_authorize__with_permanent_grant.json`,
    date: '2016-02-14',
    status: 200,
    shape: TOKENS,
    call: ({ token, code }) => token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }),
  },
  {
    source: `${PRAWCORE}/TestAuthorizer.test_refresh.json`,
    date: '2021-02-22',
    status: 200,
    shape: TOKENS,
    call: ({ token, refreshToken }) => token({ grant_type: 'refresh_token', refresh_token: refreshToken }),
  },
  {
    source: `${PRAWCORE}/TestAuthorizer.test_authorize__with_invalid_code.json`,
    date: '2016-02-14',
    status: 200,
    shape: 'error:text',
    call: ({ token }) => token({ grant_type: 'authorization_code', code: 'invalid code', redirect_uri: REDIRECT_URI }),
  },
  {
    source: `${PRAWCORE}/TestSession.test_request__with_insufficient_scope.json`,
    date: '2016-02-16',
    status: 403,
    shape: 'error:number',
    call: ({ api, without }) => api('GET', '/api/v1/me', { token: without }),
  },
  {
    source: `${PRAWCORE}/TestSession.test_request__too__many_requests__without_retry_headers.json`,
    date: '2021-05-25',
    status: 429,
    shape: 'message:text error:number',
    call: ({ api, fake }) => {
      fake.leaveRequests(0)
      return api('GET', '/api/v1/me').finally(() => fake.leaveRequests(900))
    },
  },
  {
    source: `${PRAW}/TestUser.test_me.json`,
    date: '2016-03-14',
    status: 200,
    shape: 'id:text name:text created_utc:number is_suspended:boolean',
    hasMore: true,
    call: ({ api }) => api('GET', '/api/v1/me'),
  },
  {
    source: `${PRAW}/TestSubreddit.test_submit__url_selftext.json`,
    date: '2025-05-07',
    status: 200,
    shape: 'json.errors:list json.data.url:text json.data.drafts_count:number json.data.id:text json.data.name:text',
    call: ({ submit }) => submit({ kind: 'link', url: 'https://example.com', text: 'A *text*' }),
  },
  {
    source: `${PRAW}/TestSubreddit.test_submit_image.json`,
    date: '2023-10-01',
    status: 200,
    shape:
      'args.action:text args.fields:list args.fields.0.name:text args.fields.0.value:text asset.asset_id:text asset.processing_state:text asset.payload.filepath:text asset.websocket_url:text',
    call: ({ lease }) => lease('test.png', 'image/png'),
  },
  {
    source: `${PRAW}/TestSubreddit.test_submit_image.json`,
    date: '2023-10-01',
    status: 200,
    shape: 'json.errors:list json.data.user_submitted_page:text json.data.websocket_url:text',
    call: async ({ submit, upload }) => submit({ kind: 'image', url: (await upload('test.png', 'image/png')).url }),
  },
  {
    source: `${PRAW}/TestSubreddit.test_submit_gallery.json`,
    date: '2020-07-20',
    status: 200,
    shape: 'json.errors:list json.data.url:text json.data.id:text',
    call: async ({ gallery, upload }) =>
      gallery([(await upload('1.png', 'image/png')).id, (await upload('2.jpg', 'image/jpeg')).id]),
  },
  {
    source: `${PRAW}/TestSubreddit.test_submit_gallery__disabled.json`,
    date: '2020-07-20',
    status: 200,
    shape: 'json.errors:list json.errors.0:list json.errors.0.0:text',
    call: ({ gallery, fake }) => {
      fake.subreddits.get('lighthouses')!.allowGalleries = false
      return gallery([]).finally(() => {
        fake.subreddits.get('lighthouses')!.allowGalleries = true
      })
    },
  },
  {
    source: `${PRAW}/TestSubreddit.test_submit__verify_invalid.json`,
    date: '2020-02-10',
    status: 400,
    shape: 'fields:list fields.0:text explanation:text error_type:text message:text reason:text',
    call: ({ submit, fake }) => {
      fake.subreddits.get('lighthouses')!.isFlairRequired = true
      return submit({ kind: 'self', text: '', validate_on_submit: 'true' }).finally(() => {
        fake.subreddits.get('lighthouses')!.isFlairRequired = false
      })
    },
  },
  {
    source: `${PRAW}/TestSubreddit.test_submit_gallery.json`,
    date: '2020-07-20',
    status: 200,
    shape: `${LISTING} ${inside('data.children.0.data', `${POST} is_gallery:boolean gallery_data.items:list gallery_data.items.0.media_id:text gallery_data.items.0.id:number`)}`,
    hasMore: true,
    call: async ({ api, gallery, upload }) => {
      await gallery([(await upload('1.png', 'image/png')).id, (await upload('2.jpg', 'image/jpeg')).id])
      return api('GET', '/user/ada_l/submitted')
    },
  },
  {
    source: `${PRAW}/TestSubreddit.test_submit_video.json`,
    date: '2020-12-03',
    status: 200,
    shape: `${LISTING} ${inside('data.children.0.data', POST)}`,
    hasMore: true,
    call: async ({ api, submit, upload }) => {
      const [{ url }, poster] = [await upload('a.mp4', 'video/mp4'), await upload('a.png', 'image/png')]
      await submit({ kind: 'video', url, video_poster_url: poster.url })
      return api('GET', '/user/ada_l/submitted')
    },
  },
  {
    source: `${PRAW}/TestSubmission.test_reply.json`,
    date: '2016-03-19',
    status: 200,
    // Today, `permalink` is there too: https://www.reddit.com/dev/api.
    shape: `json.errors:list json.data.things:list json.data.things.0.kind:text ${inside('json.data.things.0.data', 'id:text name:text author:text parent_id:text link_id:text body:text permalink:text created_utc:number replies:text')}`,
    hasMore: true,
    call: async ({ api, submit, fake }) => {
      await submit({ kind: 'self', text: '' })
      return api('POST', '/api/comment', { form: { api_type: 'json', thing_id: fake.posts[0]!.name, text: 'a' } })
    },
  },
  {
    source: `${PRAW}/TestUser.test_moderator_subreddits.json`,
    date: '2021-07-14',
    status: 200,
    shape: `${LISTING} ${inside('data.children.0.data', SUBREDDIT)}`,
    hasMore: true,
    call: ({ api }) => api('GET', '/subreddits/mine/moderator'),
  },
  {
    source: `${PRAW}/TestSubreddit.test_submit_image.json`,
    date: '2023-10-01',
    status: 200,
    shape: `kind:text ${inside('data', SUBREDDIT)}`,
    hasMore: true,
    call: ({ api }) => api('GET', '/r/lighthouses/about'),
  },
  {
    source: `${PRAW}/TestSubredditLinkFlairTemplates.test_user_selectable.json`,
    date: '2021-08-04',
    status: 200,
    shape:
      'current.flair_css_class:text current.flair_template_id:? current.flair_text:? current.flair_position:text choices:list choices.0.flair_css_class:text choices.0.flair_template_id:text choices.0.flair_text_editable:boolean choices.0.flair_position:text choices.0.flair_text:text',
    call: ({ api }) =>
      api('POST', '/r/lighthouses/api/flairselector', { form: { api_type: 'json', is_newlink: 'true' } }),
  },
  {
    source: `${PRAW}/TestRule.test_iter_rules.json`,
    date: '2020-04-27',
    status: 200,
    shape:
      'rules:list rules.0.kind:text rules.0.description:text rules.0.short_name:text rules.0.violation_reason:text rules.0.created_utc:number rules.0.priority:number site_rules:list site_rules.0:text site_rules_flow:list',
    hasMore: true,
    call: ({ api }) => api('GET', '/r/lighthouses/about/rules'),
  },
  {
    source: `${PRAW}/TestSubreddit.test_post_requirements.json`,
    date: '2020-02-10',
    status: 200,
    shape:
      'domain_blacklist:list domain_blacklist.0:text body_restriction_policy:text domain_whitelist:list title_regexes:list body_blacklisted_strings:list body_required_strings:list title_text_min_length:? is_flair_required:boolean title_text_max_length:? body_regexes:list link_repost_age:? body_text_min_length:? link_restriction_policy:text body_text_max_length:? title_required_strings:list title_blacklisted_strings:list title_blacklisted_strings.0:text guidelines_text:text guidelines_display_policy:text',
    call: ({ api }) => api('GET', '/api/v1/lighthouses/post_requirements'),
  },
]

const REDIRECT_URI = 'https://postroom.example/connect/callback'

/** Calls to the fake as those of the clients. */
async function start(t: Teardown) {
  const fake = await startReddit(t)
  const { authorization, credentials } = fake
  const agent = { 'user-agent': 'test:postroom:v1 (by /u/ada_l)' }
  const answer = async (url: string, init: RequestInit): Promise<Answer> => {
    const response = await fake.fetch(url, init)
    return { status: response.status, body: await response.json() }
  }
  const api = (method: string, path: string, { form, json, token = credentials.accessToken }: Options = {}) => {
    const headers = { ...agent, authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) }
    const body = form ? new URLSearchParams(form) : json && JSON.stringify(json)
    return answer(`https://oauth.reddit.com${path}`, { method, headers, ...(body && { body }) })
  }
  const common = { api_type: 'json', sr: 'lighthouses', title: 'A title' }
  const lease = (filepath: string, mimetype: string) =>
    api('POST', '/api/media/asset.json', { form: { api_type: 'json', filepath, mimetype } })
  const page = new URL('https://www.reddit.com/api/v1/authorize')
  const { clientId, clientSecret } = authorization.app
  page.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    state: 'a',
    scope: 'identity',
    duration: 'permanent',
  }).toString()
  return {
    fake,
    api,
    lease,
    refreshToken: credentials.refreshToken,
    code: authorization.consent(page).searchParams.get('code')!,
    /** A token without scopes. */
    without: authorization.grant([]).accessToken,
    token: (form: Record<string, string>) =>
      answer('https://www.reddit.com/api/v1/access_token', {
        method: 'POST',
        headers: { ...agent, authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
        body: new URLSearchParams(form),
      }),
    submit: (form: Record<string, string>) => api('POST', '/api/submit', { form: { ...common, ...form } }),
    gallery: (ids: string[]) =>
      api('POST', '/api/submit_gallery_post.json', {
        json: { ...common, items: ids.map((id) => ({ media_id: id, caption: '', outbound_url: '' })) },
      }),
    async upload(filepath: string, mimetype: string) {
      const { body } = await lease(filepath, mimetype)
      const { args, asset } = body as Lease
      const form = new FormData()
      for (const { name, value } of args.fields) form.append(name, value)
      form.append('file', new Blob(['bytes'], { type: mimetype }), filepath)
      const response = await fake.fetch(`https:${args.action}/`, { method: 'POST', body: form })
      if (response.status !== 201) throw new Error(await response.text())
      return {
        id: asset.asset_id,
        url: `https:${args.action}/${args.fields.find(({ name }) => name === 'key')!.value}`,
      }
    },
  }
}

interface Options {
  form?: Record<string, string>
  json?: object
  token?: string
}

interface Lease {
  args: { action: string; fields: { name: string; value: string }[] }
  asset: { asset_id: string }
}

/** Each path with the type of its value. The first item of a list counts. */
function shapeOf(value: unknown, path = ''): string[] {
  const join = (key: string) => (path ? `${path}.${key}` : key)
  if (value === null || value === undefined) return [`${path}:?`]
  if (Array.isArray(value)) return [`${path}:list`, ...(value.length > 0 ? shapeOf(value[0], join('0')) : [])]
  if (typeof value === 'object') return Object.entries(value).flatMap(([key, inner]) => shapeOf(inner, join(key)))
  return [`${path}:${typeof value === 'string' ? 'text' : typeof value}`]
}

t.test('the fake sends what Reddit was recorded to send', async (t) => {
  const caller = await start(t)
  for (const { source, date, status, shape, hasMore, call } of RECORDINGS) {
    const { status: sent, body } = await call(caller)
    const name = `${source.split('/').at(-1)} of ${date}`
    t.equal(sent, status, name)
    t.strictSame(shapeOf(body).toSorted(), shape.split(' ').toSorted(), hasMore ? `${name}, in part` : name)
  }
})
