import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Act, Sent } from '../../src/platforms/contract/adapter.ts'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import { facebookMetrics } from '../../src/platforms/facebook/metrics.ts'
import { instagramAdapter } from '../../src/platforms/instagram/adapter.ts'
import { instagramMetrics } from '../../src/platforms/instagram/metrics.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf } from '../helpers/adapter-calls.ts'
import { startFacebook } from '../networks/fakes/facebook.ts'
import { startInstagram } from '../networks/fakes/instagram.ts'
import { startMetrics } from '../networks/fakes/metrics.ts'
import type { Recorded } from '../networks/fakes/network.ts'

// Parameters and fields in requests to Facebook and Instagram are names that the specifications of Meta's SDKs have.
// Those names are in test/samples. The specifications do not describe Threads.

interface Node {
  fields: string[]
  /** The parameters of a POST, by edge. */
  edges: Record<string, string[]>
  /** The names of its insights. */
  metrics?: string[]
}
const { nodes }: { nodes: Record<string, Node> } = JSON.parse(
  readFileSync('test/samples/meta-specifications.json', 'utf8'),
)

/** The specification of a request: parameters of a POST, fields of a GET. */
const REQUESTS: Record<string, { node: string; edge?: string; read?: string }> = {
  'GET :id': { node: 'Page', read: 'Page' },
  'POST :id/feed': { node: 'Page', edge: 'feed', read: 'PagePost' },
  'GET :id/feed': { node: 'Page', read: 'PagePost' },
  'POST :id/photos': { node: 'Page', edge: 'photos' },
  'POST :id/photo_stories': { node: 'Page', edge: 'photo_stories' },
  'GET :id/stories': { node: 'Page', read: 'Stories' },
  'POST :id/videos': { node: 'Page', edge: 'videos' },
  'POST :id/video_reels': { node: 'Page', edge: 'video_reels' },
  'POST :id/video_stories': { node: 'Page', edge: 'video_stories' },
  'POST :id/comments': { node: 'PagePost', edge: 'comments' },
  'GET :id/comments': { node: 'PagePost', read: 'Comment' },
}

/** The requests of Instagram that differ. */
const INSTAGRAM: typeof REQUESTS = {
  'GET me': { node: 'IGUserForIGOnlyAPI', read: 'IGUserForIGOnlyAPI' },
  'POST :id/media': { node: 'IGUserForIGOnlyAPI', edge: 'media' },
  'GET :id/media': { node: 'IGUserForIGOnlyAPI', read: 'IGMediaForIGOnlyAPI' },
  'GET :id/stories': { node: 'IGUserForIGOnlyAPI', read: 'IGMediaForIGOnlyAPI' },
  'POST :id/media_publish': { node: 'IGUser', edge: 'media_publish' },
  'POST :id/comments': { node: 'IGMediaForIGOnlyAPI', edge: 'comments' },
  'GET :id/comments': { node: 'IGMediaForIGOnlyAPI', read: 'IGComment' },
}

/**
 * Names that are newer than the specifications (https://developers.facebook.com/docs/instagram-platform/changelog), the
 * file of a photo (https://developers.facebook.com/docs/graph-api/reference/page/photos/), and edges, which `fields`
 * can name too.
 */
const OTHERS = [
  ...['is_ai_generated', 'is_paid_partnership', 'source', 'children', 'attachments', 'access_token', 'picture'],
  // https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/get-started
  'profile_picture_url',
]

/** The requests about one object, by its node. */
function ofObject(name: string, node: string): (typeof REQUESTS)[string] | undefined {
  if (name === 'GET :id') return { node, read: node }
  if (name === 'POST :id') return { node, edge: '#update' }
  return name === 'DELETE :id' ? { node, edge: '#delete' } : undefined
}

/** The names in a request that its specification does not have. */
function unknownNames(
  { method, path, query, body, files }: Recorded,
  requests: typeof REQUESTS,
  byId: string,
): string[] {
  const name = `${method} ${path.replace(/^\/v[\d.]+\//, '').replace(/^[\d_]+/, ':id')}`
  const request = ofObject(name, byId) ?? requests[name]
  if (!request) return [name]
  // Names of fields stand before their details: the fields of an edge in braces, and modifiers such as `.limit(0)`.
  const details = /\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\.\w+\([^()]*\)/g
  const fields = (query.fields ?? '').replaceAll(details, '').split(',')
  const node = request.read && nodes[request.read]
  const known = node ? [...node.fields, ...Object.keys(node.edges)] : []
  const parameters = [...Object.keys((body ?? {}) as object), ...files.map(({ field }) => field)]
  const edge = request.edge ? nodes[request.node]!.edges[request.edge] : []
  if (!edge) return [name]
  return [
    ...fields.filter((field) => field !== '' && ![...known, ...OTHERS].includes(field)),
    ...parameters.map((each) => each.replace(/\[\d+\]$/, '')).filter((each) => ![...edge, ...OTHERS].includes(each)),
  ]
}

const image = () => fileOf('image/jpeg', { altText: 'The sea' })
const video = () => fileOf('video/mp4')

t.test('Facebook: parameters and fields are those of the specifications', async (t) => {
  const fake = await startFacebook(t)
  const { send, identify, reconcile, remove, edit } = clientOf(facebookAdapter)
  await identify(fake.credentials, ioOf(fake))
  const acts = [
    actOf({ fields: { link: 'https://example.com' } }),
    actOf({ text: 'Short', fields: { textFormatPresetId: '106018623298955' } }),
    actOf({ media: [image(), image()] }),
    actOf({ media: [image()], postType: 'story' }),
    actOf({ media: [video()], postType: 'video', fields: { title: 'Waves' } }),
    actOf({ media: [video()], postType: 'reel', fields: { title: 'Waves' } }),
    actOf({ media: [video()], postType: 'story' }),
  ]
  const published: [Act, Sent][] = []
  for (const act of acts) published.push([act, await send(act, fake.credentials, ioOf(fake))])
  await reconcile(actOf(), fake.credentials, ioOf(fake))
  const root = { id: fake.posts[0]!.id, url: null }
  const comment = actOf({ kind: 'comment', text: 'First!', parent: root, root })
  published.unshift([comment, await send(comment, fake.credentials, ioOf(fake))])
  await reconcile(comment, fake.credentials, ioOf(fake))
  const commentId = fake.comments[0]!.id
  for (const [act, sent] of published) {
    if (act.postType !== 'story') await edit(act, publishedOf(act, sent), fake.credentials, ioOf(fake))
    await remove(publishedOf(act, sent), fake.credentials, ioOf(fake))
  }
  const nodeOf = ({ path }: Recorded) => {
    const id = path.split('/').at(-1)!
    if (id === fake.credentials.pageId) return 'Page'
    if (id === commentId) return 'Comment'
    return id.includes('_') ? 'PagePost' : 'AdVideo'
  }
  const calls = fake.calls.filter(({ host }) => host !== 'rupload.facebook.com')
  for (const call of calls) t.same(unknownNames(call, REQUESTS, nodeOf(call)), [], `${call.method} ${call.path}`)
  const { method, path } = calls.find((call) => call.path.endsWith('/feed'))!
  const wrong = { ...calls[0]!, method, path, query: { fields: 'id,colour' }, body: { colour: 'red' } }
  t.same(unknownNames(wrong, REQUESTS, 'Page'), ['colour', 'colour'], 'other names are noticed')
})

t.test('Instagram: parameters and fields are those of the specifications', async (t) => {
  const fake = await startInstagram(t)
  const { send, identify, reconcile } = clientOf(instagramAdapter)
  await identify(fake.credentials, ioOf(fake))
  const fields = { collaborators: ['bob'], locationId: '1', userTags: [{ username: 'bob', x: 0, y: 0 }] }
  const cover = { coverUrl: 'https://example.com/c.jpg', audioName: 'Waves', shareToFeed: true, trialReel: 'MANUAL' }
  const acts = [
    actOf({ media: [image()], fields: { ...fields, isAiGenerated: true, isPaidPartnership: true } }),
    actOf({ media: [image(), video()], fields }),
    actOf({ media: [video()], postType: 'reel', fields: cover }),
    actOf({ media: [video()], postType: 'reel', fields: { thumbOffset: 1 } }),
    actOf({ media: [image()], postType: 'story' }),
  ]
  const found = { childIds: [], id: '1', looks: 0, wasReady: true, isPublished: true, failures: 0 }
  for (const act of acts) {
    await send(act, fake.credentials, ioOf(fake))
    await reconcile(act, fake.credentials, ioOf(fake), found)
  }
  const root = { id: fake.posts[0]!.id, url: null }
  const comment = actOf({ kind: 'comment', text: 'First!', parent: root, root })
  await send(comment, fake.credentials, ioOf(fake))
  await reconcile(comment, fake.credentials, ioOf(fake))
  const isPost = ({ path }: Recorded) => fake.posts.some(({ id }) => path.endsWith(`/${id}`))
  for (const call of fake.calls) {
    const node = isPost(call) ? 'IGMediaForIGOnlyAPI' : 'ShadowIGMediaBuilder'
    t.same(unknownNames(call, INSTAGRAM, node), [], `${call.method} ${call.path}`)
  }
})

t.test('numbers are read from fields, and on Instagram from insights, of the specifications', async (t) => {
  const numbers = await startMetrics(t)
  // A post of a Page has an id of two parts.
  const post = { id: '1_17', ref: null, url: null, postType: 'post' as const, ageMs: 0 }
  for (const [platform, { credentials }, { readMetrics }, { offered }] of [
    ['facebook', await startFacebook(t), facebookAdapter, facebookMetrics],
    ['instagram', await startInstagram(t), instagramAdapter, instagramMetrics],
  ] as const) {
    const id = platform === 'facebook' ? post.id : '17'
    numbers.storeOf(platform).posts.set(id, {})
    await readMetrics!([{ ...post, id }], new Set(offered.map(({ native }) => native)), {
      ...ioOf(numbers),
      credentials,
    })
  }
  const [page, , media, insights] = numbers.calls
  t.same(unknownNames(page!, REQUESTS, 'PagePost'), [])
  t.same(unknownNames(media!, INSTAGRAM, 'IGMediaForIGOnlyAPI'), [])
  const names = insights!.query.metric!.split(',')
  t.ok(names.length > 1)
  t.same(
    names.filter((name) => !nodes.IGMediaForIGOnlyAPI!.metrics!.includes(name)),
    [],
  )
})
