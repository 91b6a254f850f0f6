import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { createWorld } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { jpeg } from '../helpers/upload.ts'

async function createScene(t: Test, accounts: [PlatformId, string][]) {
  const world = await createWorld(t)
  const ada = await world.user()
  for (const [platform, username] of accounts) await ada.account(platform, { username })
  const url = await world.app.listen({ host: '127.0.0.1', port: 0 })
  const env: Record<string, string> = { POSTROOM_URL: url, POSTROOM_KEY: ada.key }
  const media = await serveMedia(t)
  const sample = (name: string) => readFileSync(`test/samples/${name}`, 'utf8').replaceAll('MEDIA', media)
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await postroom(['import', ...args, '--json'], env)
    const { data = [], ...summary } = stdout ? JSON.parse(stdout) : {}
    const found = Object.fromEntries(data.map((each: { source: string }) => [each.source, each]))
    return { code, stderr, summary, found }
  }
  const posts = async () => {
    const { data } = (await ada.call('GET', '/posts?limit=100')).body
    const details = await Promise.all(data.map(({ id }: { id: string }) => ada.call('GET', `/posts/${id}`)))
    return Object.fromEntries(details.map(({ body }) => [body.externalReference, body]))
  }
  return { ada, env, media, folder: t.testdir({}), sample, run, posts }
}

/** Serves a picture under two names. */
async function serveMedia(t: Test): Promise<string> {
  const picture = await jpeg()
  const server = createServer(({ url }, response) => {
    response.statusCode = ['/lighthouse.jpg', '/100%.jpg'].includes(url!) ? 200 : 404
    response.end(response.statusCode === 200 ? picture : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers as the API of Buffer does, with one post a page, until the test ends. */
function serveBuffer(t: Test, posts: { id: string }[], key: string) {
  const { fetch } = globalThis
  t.teardown(() => {
    globalThis.fetch = fetch
  })
  globalThis.fetch = async (input, init = {}) => {
    if (String(input) !== 'https://api.buffer.com') return fetch(input, init)
    if (new Headers(init.headers).get('authorization') !== `Bearer ${key}`) {
      return Response.json({ errors: [{ message: 'Unauthorized' }] }, { status: 401 })
    }
    const { query, variables } = JSON.parse(String(init.body))
    if (query.includes('organizations')) return Response.json({ data: { account: { organizations: [{ id: 'o1' }] } } })
    const index = posts.findIndex(({ id }) => id === variables.after) + 1
    const edges = posts.slice(index, index + 1).map((node) => ({ node }))
    const pageInfo = { hasNextPage: index + 1 < posts.length, endCursor: posts[index]?.id ?? null }
    return Response.json({ data: { posts: { edges, pageInfo } } })
  }
}

t.test('posts of Postiz are created once, from the file that the query writes', async (t) => {
  const { env, folder, sample, run, posts } = await createScene(t, [
    ['x', 'ada'],
    ['linkedin', 'ada lovelace'],
    ['pinterest', 'lighthouses'],
  ])
  const client = new pg.Client(await createDatabase(t))
  await client.connect()
  await client.query(sample('postiz.sql'))
  const { stdout: query } = await postroom(['import', 'postiz', '--query'], env)
  const { rows } = await client.query({ text: query, rowMode: 'array' })
  await client.end()
  const file = join(folder, 'postiz.json')
  writeFileSync(file, JSON.stringify(rows[0]![0]))

  const trial = await run('postiz', file, '--dry-run')
  t.match(trial, { code: 1, summary: { isDryRun: true, posts: 8, created: 4, existing: 0, refused: 4 } })
  t.strictSame(await posts(), {}, 'a dry run creates nothing')

  const { code, found, summary } = await run('postiz', file)
  t.match({ code, ...summary }, { code: 1, posts: 8, created: 4, refused: 4 })
  t.match(found, {
    first: {
      outcome: 'created',
      status: 'scheduled',
      warnings: ['not moved: bold, italic and underlined letters', /./],
    },
    comments: { outcome: 'created', status: 'scheduled', warnings: ['not moved: its repetition every 7 days', /./] },
    draft: { outcome: 'created', status: 'draft' },
    article: {
      outcome: 'created',
      status: 'draft',
      warnings: ['not moved: the setting article_title; the post is now a draft', /the type article/],
    },
    'lost-file': { outcome: 'refused', problems: [/nothing\.jpg cannot be fetched \(status 404\)/] },
    chat: { outcome: 'refused', problems: ['slack is no network of Postroom'] },
    stranger: { outcome: 'refused', problems: [/no account here is called x\/bob or x\/Bob/] },
    late: { outcome: 'refused', problems: [/in the past/] },
  })

  const stored = await posts()
  t.match(stored, {
    'postiz:first': {
      postType: 'thread',
      scheduledAt: '2030-01-15T09:30:00.000Z',
      targets: [
        {
          threadParts: ['We are live.\nShips & sails: https://example.com/a?b=1&c=2', 'And open.', 'Good night.'],
          fields: { replySettings: 'following' },
          threadMedia: [[/./], [], [/./]],
        },
      ],
      metadata: { tags: 'launch, spring' },
    },
    'postiz:comments': { caption: 'Hello', firstComment: 'More in our blog.' },
    'postiz:draft': {
      scheduledAt: null,
      targets: [{ fields: { boardId: '4711', title: 'Towers' } }],
      altTexts: { [stored['postiz:first'].targets[0].threadMedia[0][0]]: 'Another text.' },
      metadata: { plannedAt: '2030-01-17T09:30:00.000Z' },
    },
  })

  const again = await run('postiz', file, '--account', 'x/bob=x/ada')
  t.match(again.summary, { posts: 8, created: 1, existing: 4, refused: 3 }, 'a run again creates the rest')
})

t.test('posts of Buffer are created once, with what their networks have alone', async (t) => {
  const { env, sample, run, posts } = await createScene(t, [
    ['bluesky', 'ada.example.com'],
    ['linkedin', 'Ada Lovelace'],
    ['youtube', 'lighthouses'],
    ['x', 'ada'],
    ['mastodon', 'ada@mastodon.social'],
  ])
  const samples = JSON.parse(sample('buffer-posts.json'))
  const channel = { name: 'ada', displayName: null, service: 'mastodon' }
  serveBuffer(t, [...samples, { ...samples[0], id: '6501a6', channel, metadata: null }], 'secret')
  t.match(await run('buffer'), { code: 2, stderr: /BUFFER_API_KEY must be an API key of Buffer/ })
  env.BUFFER_API_KEY = 'wrong'
  t.match(await run('buffer'), { code: 1, stderr: /refused the query \(status 401\): BUFFER_API_KEY must be/ })
  env.BUFFER_API_KEY = 'secret'

  const { fetch } = globalThis
  let creations = 0
  globalThis.fetch = async (input, init) => {
    const isCreation = init?.method === 'POST' && String(input).endsWith('/api/v1/posts')
    return isCreation && ++creations > 1 ? Response.json({ error: 'Broken' }, { status: 500 }) : fetch(input, init)
  }
  const broken = await run('buffer')
  t.match(broken, {
    code: 1,
    stderr: /Broken/,
    summary: { posts: 1, created: 1 },
    found: { '6501a1': { warnings: [/./] } },
  })
  globalThis.fetch = fetch

  const { found, summary } = await run('buffer')
  t.match(summary, { posts: 6, created: 4, existing: 1, refused: 1 }, 'a run goes on where another one broke off')
  t.match(found, {
    '6501a1': { outcome: 'exists', status: 'scheduled', warnings: ['not moved: the note "Ask Bob first"'] },
    '6501a2': { status: 'scheduled', warnings: ['not moved: the link of the mention Example Ltd'] },
    '6501a3': { status: 'draft', warnings: ['not moved: that it awaits an approval'] },
    '6501a4': { status: 'draft', warnings: [/publishing by hand after a reminder; the post is now a draft/] },
    '6501a5': { outcome: 'refused', problems: ['startPage is no network of Postroom'] },
    '6501a6': { outcome: 'created' },
  })
  t.match(await posts(), {
    'buffer:6501a1': { postType: 'thread', scheduledAt: '2030-01-15T09:30:00.000Z', mediaIds: [/./] },
    'buffer:6501a2': {
      firstComment: 'More in our blog.',
      targets: [{ fields: { link: 'https://example.com/', linkTitle: 'Example' } }],
    },
    'buffer:6501a3': {
      postType: 'short',
      targets: [{ fields: { title: 'Lighthouses', privacyStatus: 'unlisted', embeddable: false, categoryId: '27' } }],
    },
  })
  t.match((await run('buffer')).summary, { created: 0, existing: 5, refused: 1 })
})

t.test('rows of a CSV file name accounts, and have addresses of files', async (t) => {
  const { media, folder, run, posts } = await createScene(t, [
    ['bluesky', 'ada.example.com'],
    ['x', 'ada'],
  ])
  const file = join(folder, 'posts.csv')
  writeFileSync(
    file,
    `externalReference,accounts,caption,scheduledAt,media
1,"bluesky/ada.example.com, x/ada",We are live.,2030-01-15 09:30,${media}/lighthouse.jpg
2,x/bob,Hello,,
3,x/ada,Too late,2020-01-15 09:30,
4,x/ada,Draft,,${media}/100%.jpg
`,
  )
  const { code, found, summary } = await run('csv', file, '--time-zone', 'Europe/Berlin')
  t.match({ code, ...summary }, { code: 1, posts: 4, created: 2, refused: 2 })
  t.match(found, {
    'row 3': { problems: ['accounts: the key may use no account x/bob'] },
    'row 4': { problems: [/in the past/] },
  })
  t.match(await posts(), {
    1: { caption: 'We are live.', scheduledAt: '2030-01-15T08:30:00.000Z', mediaIds: [/./], targets: [{}, {}] },
    4: { caption: 'Draft', scheduledAt: null, mediaIds: [/./] },
  })
  t.match((await run('csv', file, '--time-zone', 'Europe/Berlin')).summary, { created: 0, existing: 2, refused: 2 })
})
