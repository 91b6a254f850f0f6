import type { Http } from './http.ts'
import type { CreateOptions, Options } from './options.ts'
import { path } from './path.ts'
import { toLargeFile, uploadResumably } from './resume.ts'
import { waitUntilSettled } from './settled.ts'
import type * as T from './types.ts'
import { type FileDescription, type FileSource, Form } from './uploads.ts'
import { verify } from './webhooks.ts'

// The methods that differ from their operation, and those that are no operation. `client.ts` has the others.

/** The service ends uploads and imports that stall. */
const UNLIMITED = { timeoutMs: Number.POSITIVE_INFINITY }
/** The service waits for 20 seconds. No outage ends the loop. */
const FOLLOWING = { timeoutMs: 35_000, maxRetries: Number.POSITIVE_INFINITY }

/** Posts to create together, or the body of the request that does so. */
type Batch = T.CreatePost[] | T.CreatePosts
type BatchOptions = T.CreatePostQuery & Pick<T.CreatePosts, 'mode'>

const toBatch = (posts: Batch, mode: T.CreatePosts['mode']): T.CreatePosts => ({
  ...(mode && { mode }),
  ...(Array.isArray(posts) ? { posts } : posts),
})

/** The methods of one resource. */
export class Group {
  protected readonly http: Http

  constructor(http: Http) {
    this.http = http
  }
}

export class Posts extends Group {
  /** Creates all posts or, with `mode` `each`, those that are not rejected. An error has the `rejected` ones. */
  readonly createMany = (posts: Batch, { mode, ...options }: CreateOptions & BatchOptions = {}) =>
    this.http.create<T.CreatedPosts>('/posts/batch', toBatch(posts, mode), options)
  /** Says how `createMany` would respond. Stores nothing. */
  readonly validateMany = (posts: Batch, { mode, ...options }: Options & BatchOptions & T.ValidatePostQuery = {}) =>
    this.http.send<T.PostValidations>('POST', '/posts/batch/validate', toBatch(posts, mode), options, true)
  /**
   * Waits until nothing of a post is queued or being sent. Throws `NotSettled` after `timeoutMs`, and for a draft.
   */
  readonly waitUntilSettled = (id: string, options?: Pick<Options, 'signal' | 'timeoutMs'>) =>
    waitUntilSettled(this.http, path`/posts/${id}`, options)
}

export class Events extends Group {
  /** One page of events, oldest first. `follow` reads on. */
  readonly list = (query?: T.ListEventsQuery, options?: Options) =>
    this.http.get<T.EventList>('/events', query, options)
  /** One event. With `allUsers`, also one of a tenant. */
  readonly get = (id: string, { allUsers, ...options }: Options & T.GetEventQuery = {}) =>
    this.http.get<T.Event>(path`/events/${id}`, { allUsers }, options)
  /**
   * Every event, and then for ever the next one. With `allUsers`, those of all your tenants. To go on after a crash,
   * store the `nextCursor` of each of its `pages()`.
   */
  readonly follow = (query?: Omit<T.ListEventsQuery, 'wait'>, options?: Options) =>
    this.http.list<T.EventList>('/events', { ...query, wait: 20 }, { ...FOLLOWING, ...options }, 'after')
}

export class Uploads extends Group {
  /**
   * Uploads an image or a video. A stream is not held in memory. From 8 MiB on, a `Blob` or bytes go on where a
   * connection was lost. A file that is known is returned as it was stored.
   */
  readonly create = async (
    file: FileSource,
    description: FileDescription = {},
    options: CreateOptions = {},
  ): Promise<T.Media> => {
    let content = typeof file === 'function' ? await file() : file
    const large = toLargeFile(content)
    const media = large && (await uploadResumably(this.http, large, description, options))
    if (media) return media
    let isFirst = true
    const open = async () => {
      if (!isFirst && typeof file === 'function') content = await file()
      isFirst = false
      return content
    }
    const form = new Form(typeof file === 'function' ? open : file, description)
    return this.http.create<T.Media>('/media', form, { ...UNLIMITED, ...options })
  }
  /** Lets the service fetch a file from the public internet. */
  readonly fromUrl = (body: T.ImportMedia, options?: CreateOptions) =>
    this.http.create<T.Media>('/media/import', body, { ...UNLIMITED, ...options })
}

export class Webhooks extends Group {
  /** Verifies a request to your webhook, and returns its event. */
  readonly verify = verify
}
