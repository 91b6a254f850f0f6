import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { OperatorError } from '../../../base/errors.ts'
import { readShape } from './read-shape.ts'
import { request } from './request.ts'

/** https://developers.buffer.com/guides/introduction.html */
const ENDPOINT = 'https://api.buffer.com'

/** As in Buffer's own example: larger pages of larger posts could exceed the limit of a query. */
const PAGE_SIZE = 20

const Text = Type.Union([Type.String(), Type.Null()])
const Maybe = <Shape extends TSchema>(shape: Shape) => Type.Optional(Type.Union([shape, Type.Null()]))

const Assets = Type.Array(
  Type.Object({
    source: Type.String(),
    mimeType: Type.String(),
    image: Maybe(
      Type.Object({
        altText: Maybe(Type.String()),
        userTags: Maybe(Type.Array(Type.Object({ handle: Type.String() }))),
      }),
    ),
  }),
)

const Link = Type.Object({ url: Type.String(), title: Maybe(Type.String()), thumbnail: Maybe(Type.String()) })

const Metadata = Type.Object({
  type: Type.Optional(Type.String()),
  annotations: Type.Optional(Type.Array(Type.Object({ type: Type.String(), text: Type.String() }))),
  linkAttachment: Maybe(Link),
  details: Maybe(Type.Object({ button: Type.Optional(Type.String()), link: Maybe(Type.String()) })),
  firstComment: Maybe(Type.String()),
  thread: Maybe(Type.Array(Type.Object({ text: Type.String(), assets: Assets }))),
  board: Maybe(Type.Object({ serviceId: Type.String() })),
  category: Maybe(Type.Object({ categoryId: Type.String() })),
  retweet: Maybe(Type.Object({ id: Type.String() })),
  geolocation: Maybe(Type.Object({ text: Maybe(Type.String()) })),
})

export const BufferPost = Type.Object({
  id: Type.String(),
  status: Type.String(),
  schedulingType: Text,
  dueAt: Text,
  text: Type.String(),
  channel: Type.Object({ name: Type.String(), displayName: Text, service: Type.String() }),
  tags: Type.Array(Type.Object({ name: Type.String() })),
  notes: Type.Array(Type.Object({ text: Type.String() })),
  assets: Assets,
  metadata: Type.Union([Metadata, Type.Null()]),
})
export type BufferPost = Static<typeof BufferPost>
export type BufferAssets = Static<typeof Assets>

const Organizations = Type.Object({
  account: Type.Object({ organizations: Type.Array(Type.Object({ id: Type.String() })) }),
})

const Page = Type.Object({
  posts: Type.Object({
    edges: Maybe(Type.Array(Type.Object({ node: Type.Unknown() }))),
    pageInfo: Type.Object({ hasNextPage: Type.Boolean(), endCursor: Text }),
  }),
})

const POSTS = `query Posts($organizationId: OrganizationId!, $first: Int!, $after: String) {
  posts(
    first: $first
    after: $after
    input: { organizationId: $organizationId, filter: { status: [draft, needs_approval, scheduled] } }
  ) {
    edges {
      node {
        id
        status
        schedulingType
        dueAt
        text
        channel { name displayName service }
        tags { name }
        notes { text }
        assets { ...Asset }
        metadata {
          ... on CommonPostMetadata { type annotations { type text } }
          ... on ThreadedPostMetadata { thread { text assets { ...Asset } } }
          ... on BlueskyPostMetadata { linkAttachment { ...Link } }
          ... on FacebookPostMetadata { firstComment title linkAttachment { ...Link } }
          ... on GoogleBusinessPostMetadata { title details { ... on GoogleBusinessWhatsNewMetaData { button link } } }
          ... on InstagramPostMetadata { firstComment link shouldShareToFeed geolocation { text } }
          ... on LinkedInPostMetadata { firstComment linkAttachment { ...Link } }
          ... on MastodonPostMetadata { spoilerText }
          ... on PinterestPostMetadata { title url board { serviceId } }
          ... on ThreadsPostMetadata { topic locationName linkAttachment { ...Link } }
          ... on TiktokPostMetadata { title isAiGenerated }
          ... on TwitterPostMetadata { retweet { id } isAiGenerated }
          ... on YoutubePostMetadata {
            title privacy license notifySubscribers embeddable madeForKids isAiGenerated category { categoryId }
          }
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
fragment Link on LinkAttachment { url title thumbnail }
fragment Asset on Asset {
  source
  mimeType
  ... on ImageAsset { image { altText userTags { handle } } }
}`

/** Reads the posts that are not sent yet, of all organizations. Each should be a `BufferPost`. */
export async function readPosts(key: string): Promise<unknown[]> {
  const { account } = await query(key, Organizations, '{ account { organizations { id } } }', {})
  const found: unknown[] = []
  for (const { id: organizationId } of account.organizations) {
    let after: string | null = null
    do {
      const { posts }: Static<typeof Page> = await query(key, Page, POSTS, { organizationId, first: PAGE_SIZE, after })
      found.push(...(posts.edges ?? []).map(({ node }) => node))
      after = posts.pageInfo.hasNextPage ? posts.pageInfo.endCursor : null
    } while (after !== null)
  }
  return found
}

const Reply = Type.Object({
  data: Maybe(Type.Unknown()),
  errors: Type.Optional(Type.Array(Type.Object({ message: Type.String() }))),
})

async function query<Shape extends TSchema>(key: string, shape: Shape, query: string, variables: object) {
  const response = await request(`${ENDPOINT} cannot be reached`, ENDPOINT, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  const text = await response.text()
  const refused = (reason: string) =>
    new OperatorError(`${ENDPOINT} refused the query (status ${response.status})${reason}`)
  if (response.status === 401) throw refused(': BUFFER_API_KEY must be an API key from publish.buffer.com/settings/api')
  if (response.status === 429) throw refused(': run the command again later, it goes on where it ended')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw refused(', without JSON')
  }
  const { data, errors } = readShape(Reply, body, ENDPOINT)
  if (errors?.[0]) throw refused(`: ${errors[0].message}`)
  return readShape(shape, data, ENDPOINT)
}
