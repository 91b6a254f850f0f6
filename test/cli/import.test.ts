import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { readText } from '../../src/cli/actions/move/postiz-text.ts'
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
    if (url === '/broken.jpg') {
      response.writeHead(200, { 'content-length': picture.length }).write(picture.subarray(0, 100))
      return void setTimeout(() => response.destroy(), 100)
    }
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

t.test('a malformed post of Postiz is refused by its id, and the others are created', async (t) => {
  const { media, folder, run, posts } = await createScene(t, [['x', 'ada']])
  const row = (id: unknown, others: object = {}) => ({
    id,
    parentPostId: null,
    state: 'QUEUE',
    publishDate: '2030-01-15T09:30:00.000Z',
    intervalInDays: null,
    content: `Hello ${id}`,
    image: '[]',
    settings: '{}',
    tags: [],
    network: 'x',
    name: 'Ada',
    profile: 'ada',
    ...others,
  })
  const part = (id: string, parentPostId: string) => row(id, { parentPostId })
  const file = join(folder, 'postiz.json')
  const rows = [
    row('good'),
    part('good-2', 'good'),
    row('again'),
    row('again', { content: 'Another' }),
    part('own', 'own'),
    part('a', 'b'),
    part('b', 'a'),
    part('orphan', 'gone'),
    row(7),
    null,
    'text',
    row('long'),
    ...Array.from({ length: 20_000 }, (_, at) => part(`long-${at}`, at === 0 ? 'long' : `long-${at - 1}`)),
    row('list', { settings: '["a"]' }),
    row('text', { settings: 'a' }),
    row('image', { image: '{"path":1}' }),
    row('time', { publishDate: 'tomorrow' }),
    row('type', { settings: '{"post_type":{"toString":1}}' }),
    row('broken-file', { image: JSON.stringify([{ path: `${media}/broken.jpg` }]) }),
    row('parent-of-broken'),
    { ...part('broken-part', 'parent-of-broken'), content: 5 },
    row('last'),
  ]
  writeFileSync(file, JSON.stringify(rows))
  const reasons: Record<string, RegExp> = {
    again: /externalReference is that of again too/,
    own: /it is its own parent/,
    a: /its parent b begins no post/,
    b: /its parent a begins no post/,
    orphan: /its parent gone is not in the file/,
    'row 9': /a row of row 9: \/id is not as expected/,
    'row 10': /not as expected/,
    'row 11': /not as expected/,
    long: /./,
    list: /settings of list: the value is not as expected/,
    text: /settings of text is not valid JSON/,
    image: /image of image: the value is not as expected/,
    time: /Invalid datetime/,
    type: /it cannot be read: Cannot convert object/,
    'broken-file': /broken\.jpg was not complete/,
    'parent-of-broken': /a row of parent-of-broken: \/content is not as expected/,
  }
  for (const mode of [['--dry-run'], []]) {
    const { code, stderr, found, summary } = await run('postiz', file, ...mode)
    t.strictSame([code, stderr, summary.created, summary.refused], [1, '', 3, Object.keys(reasons).length])
    for (const [id, reason] of Object.entries(reasons)) {
      t.match(found[id], { outcome: 'refused', problems: [reason] }, id)
    }
  }
  t.strictSame(Object.keys(await posts()).toSorted(), ['postiz:again', 'postiz:good', 'postiz:last'])
})

t.test('a malformed post of Buffer is refused by its id, and the others are created', async (t) => {
  const { env, sample, run } = await createScene(t, [
    ['bluesky', 'ada.example.com'],
    ['mastodon', 'ada'],
  ])
  const [first] = JSON.parse(sample('buffer-posts.json'))
  const channel = { name: 'ada', displayName: null, service: 'mastodon' }
  const good = { ...first, channel, metadata: null }
  serveBuffer(
    t,
    [
      { ...good, id: 'a', text: 5 },
      { ...good, id: 'b', assets: {} },
      { ...good, id: 'good' },
    ],
    'secret',
  )
  env.BUFFER_API_KEY = 'secret'
  t.match(await run('buffer'), {
    code: 1,
    stderr: /^$/,
    found: {
      a: { outcome: 'refused', problems: [/\/text is not as expected/] },
      b: { outcome: 'refused', problems: [/\/assets is not as expected/] },
      good: { outcome: 'created' },
    },
  })
})

t.test('texts of the editor of Postiz are read in linear time', (t) => {
  const readings: [html: string, text: string][] = [
    ['<p>One</p><p>Two <a class="x" href="https://a.b/?c=1&amp;d=2">here</a></p>', 'One\nTwo https://a.b/?c=1&d=2'],
    ['<p>A</p><ul> <li><p>b</p> </li><li> <p>c</p></li></ul>', 'A \n- b\n- c'],
    ['<p title="1 < 2 > 1">A<br/>b &lt;i&gt; <b>c</b></p><h2>D</h2>', 'A\nb <i> c\nD'],
    ['<p>1 < 2 <a name="x">b</a> <a href="https://a.b">open</p>', '1 < 2 b open'],
  ]
  for (const [html, text] of readings) t.equal(readText(html).text, text)
  // A quadratic reading of these takes minutes.
  const count = 200_000
  for (const part of [
    '<a ',
    '<a href="">',
    '<a "',
    '<p ',
    '<li> ',
    '</p> ',
    '<a href="x">y</a>',
    '&',
    '<a href="<a ',
  ]) {
    t.ok(readText(`<p>${part.repeat(count)}`))
  }
  t.end()
})

t.test('short rows, repeated references and dates of Excel are read as in post import', async (t) => {
  const { folder, run, posts } = await createScene(t, [['x', 'ada']])
  const file = join(folder, 'posts.csv')
  const lines = [
    'externalReference,accounts,caption,scheduledAt',
    '1,x/ada,One',
    '2,x/ada,Two,1/15/2030 9:30 PM',
    '1,x/ada,Again',
    '3,x/ada,Three,,,',
  ]
  writeFileSync(file, lines.join('\n'))
  const without = await run('csv', file)
  t.match(without.found, { 'row 3': { outcome: 'refused', problems: [/a date of Excel.*--dates mdy/] } })
  const options = ['--dates', 'mdy', '--time-zone', 'Europe/Berlin']
  for (const mode of [['--dry-run'], []]) {
    const { found, summary } = await run('csv', file, ...options, ...mode)
    t.match(summary, { posts: 4, refused: 1 })
    t.match(found, { 'row 4': { outcome: 'refused', problems: ['externalReference is that of row 2 too'] } })
  }
  t.match(await posts(), { 2: { scheduledAt: '2030-01-15T20:30:00.000Z' }, 3: { caption: 'Three' } })

  // A post that exists is left alone, also when its time has passed.
  writeFileSync(file, [lines[0], '2,x/ada,Two,1/15/2020 9:30 PM'].join('\n'))
  t.match((await run('csv', file, ...options)).summary, { existing: 1, refused: 0 })
})
