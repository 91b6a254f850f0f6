import type { Recorded, Reply } from './network.ts'
import type { FakeRedditState, RedditComment, RedditPost } from './reddit.ts'
import { refuse } from './reddit-replies.ts'

/** The author of what its author has deleted. */
export const DELETED = '[deleted]'

/**
 * https://www.reddit.com/dev/api#POST_api_del, #POST_api_editusertext and #GET_api_info, as
 * https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/api.py carries them out.
 */
export function serveChanges({ user, posts, comments, switches, shownComment }: FakeRedditState) {
  const find = (name: unknown) => [...posts, ...comments].find((thing) => thing.name === name)

  /** 200 for everything, also for what the account does not own. */
  function remove({ body }: Recorded): Reply {
    const thing = find((body as { id?: string }).id)
    if (thing?.author === user.name && !switches.keepsDeleted) {
      Object.assign(thing, { author: DELETED }, 'selftext' in thing ? { selftext: '' } : { body: DELETED })
    }
    return { status: 200, body: {} }
  }

  function edit({ body }: Recorded): Reply {
    const { api_type: type, thing_id: name, text = '' } = body as Record<string, string>
    const thing = find(name)
    if (type !== 'json') throw new Error('api_type is json')
    if (!thing || thing.author !== user.name) return refuse('NOT_AUTHOR', "you can't do that", 'thing_id')
    const isPost = 'selftext' in thing
    if (isPost && !thing.isSelf) return refuse('NOT_AUTHOR', "you can't do that", 'thing_id')
    if (!isPost && text.trim() === '') refuse('NO_TEXT', 'we need something here', 'text')
    if ([...text].length > (isPost ? 40_000 : 10_000)) refuse('TOO_LONG', 'this is too long', 'text')
    Object.assign(thing, isPost ? { selftext: text } : { body: text }, { edits: thing.edits + 1 })
    return { status: 200, body: { json: { errors: [], data: { things: [{ data: shown(thing) }] } } } }
  }

  function info({ query }: Recorded): Reply {
    const names = (query.id ?? '').split(',')
    const children = names
      .map(find)
      .flatMap((thing) => (thing ? [{ kind: thing.name.slice(0, 2), data: shown(thing) }] : []))
    return { status: 200, body: { kind: 'Listing', data: { children, after: null } } }
  }

  const shown = (thing: RedditPost | RedditComment): object => {
    if (!('selftext' in thing)) return shownComment(thing)
    const { name, id, author, title, selftext, permalink, url, subreddit } = thing
    const removed = author === DELETED && { removed_by_category: 'deleted' }
    return { name, id, author, title, selftext, permalink, url, subreddit, removed_by_category: null, ...removed }
  }

  return { remove, edit, info }
}
