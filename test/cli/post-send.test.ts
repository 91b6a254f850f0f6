import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { createFolder, createWorld } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'
import { jpeg } from '../helpers/upload.ts'

async function createScene(t: Test, files: Parameters<Test['testdir']>[0]) {
  const world = await createWorld(t)
  const ada = await world.user()
  await ada.account('bluesky', { username: 'ada.example.com' })
  const url = await world.app.listen({ host: '127.0.0.1', port: 0 })
  const folder = t.testdir(files)
  const env = { POSTROOM_URL: url, POSTROOM_KEY: ada.key }
  const send = async (...args: string[]) => {
    const { code, stdout, stderr } = await postroom(['post', 'send', '--json', ...args], env)
    return { code, stderr, data: stdout ? JSON.parse(stdout).data : undefined }
  }
  return { ada, env, folder, send, pathOf: (name: string) => join(folder, name) }
}

const MARKDOWN = `---
accounts: [bluesky/ada.example.com]
scheduledAt: 2030-01-15T09:30:00
timeZone: Europe/Berlin
media:
  - { file: lighthouse.jpg, altText: A lighthouse. }
externalReference: lighthouse
---

We are live.

And open: ---
`

t.test('a Markdown file becomes a post once, with its files', async (t) => {
  const { ada, send, pathOf } = await createScene(t, { 'post.md': MARKDOWN, 'lighthouse.jpg': await jpeg() })
  const trial = await send('--validate', pathOf('post.md'))
  t.match(trial, { code: 0, data: [{ outcome: 'valid', problems: [] }] })
  t.strictSame((await ada.call('GET', '/posts')).body.data, [], 'nothing was stored')

  const created = await send(pathOf('post.md'))
  t.match(created, { code: 0, data: [{ outcome: 'created', status: 'scheduled' }] })
  const { id } = created.data[0]
  t.match(await send(pathOf('post.md')), { code: 0, data: [{ outcome: 'exists', id }] })
  const { body: post } = await ada.call('GET', `/posts/${id}`)
  t.match(post, {
    caption: 'We are live.\n\nAnd open: ---',
    scheduledAt: '2030-01-15T08:30:00.000Z',
    timeZone: 'Europe/Berlin',
    externalReference: 'lighthouse',
  })
  t.match((await ada.call('GET', `/media/${post.mediaIds[0]}`)).body, { altText: 'A lighthouse.' })
})

t.test('each file that is refused says why, and the others are created', async (t) => {
  const { send, pathOf, folder } = await createScene(t, {
    'good.json': JSON.stringify({ accounts: ['bluesky/@ada.example.com'], caption: 'Hello' }),
    'good.yaml': 'accounts: [bluesky/ada.example.com]\ncaption: |\n  Hello,\n  again',
    'long.yaml': `accounts: [bluesky/ada.example.com]\ncaption: ${'x'.repeat(301)}`,
    'misspelt.yaml': 'accounts: [bluesky/ada.example.com]\ncapton: Hello',
    'stranger.yaml': 'accounts: [bluesky/bob.example.com]',
    'lost.yaml': 'accounts: [bluesky/ada.example.com]\nmedia: [nothing.jpg]',
    'broken.yaml': 'accounts: [',
    'plain.md': 'Hello',
    'list.yaml': '- Hello',
    'names.yaml': 'accounts: bluesky/ada.example.com',
  })
  const reasons: Record<string, RegExp> = {
    'long.yaml': /caption is 301 characters long, at most 300 are allowed/,
    'misspelt.yaml': /Unrecognized key\(s\) in object: 'capton'/,
    'stranger.yaml': /the key may use no account bluesky\/bob\.example\.com/,
    'lost.yaml': /media: there is no file .*nothing\.jpg/,
    'broken.yaml': /at line 1, column 12/,
    'plain.md': /must begin with a line ---/,
    'list.yaml': /must have the properties of a post/,
    'names.yaml': /accounts must be a list of ids/,
    'nothing.yaml': /cannot be read \(ENOENT\)/,
  }
  for (const mode of [['--validate'], []]) {
    const { code, data } = await send(...mode, ...['good.json', 'good.yaml', ...Object.keys(reasons)].map(pathOf))
    t.equal(code, 1)
    const [first, second, ...refused] = data
    const outcome = mode.length > 0 ? 'valid' : 'created'
    t.match([first, second], [{ outcome }, { outcome }])
    for (const { file, outcome, problems } of refused) {
      t.match(
        { outcome, problem: problems[0] },
        { outcome: 'refused', problem: reasons[file.slice(folder.length + 1)] },
      )
    }
  }
})

t.test('a file that is made to do harm is refused by name, and the others are created', async (t) => {
  const { send, pathOf } = await createScene(t, {})
  const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, at) => line(at))
  const laughs = lines(9, (at) => `a${at}: &a${at} [${lines(9, () => (at > 0 ? `*a${at - 1}` : 'ha')).join()}]`)
  const files: Record<string, [text: string, problem: RegExp]> = {
    'aliases.yaml': [laughs.join('\n'), /Excessive alias count/],
    'circle.yaml': ['fields: &a { b: *a }', /circular/],
    'deep.json': ['['.repeat(100_000), /call stack/],
    'directive.yaml': ['%x ::error::\n---\naccounts: []', /Unknown directive %x/],
    'tag.yaml': ['accounts: !x []', /Unresolved tag: !x/],
    'reference.yaml': ['externalReference: [1]', /externalReference must be a text/],
    'repeated.yaml': ['caption: a\ncaption: b', /Map keys must be unique at line 2, column 1/],
    'keys.yaml': [lines(50_000, (at) => `k${at}: 1`).join('\n'), /more than 20000 keys/],
    'large.md': [`---\naccounts: []\n---\n${'x'.repeat(1024 * 1024)}`, /Post would be larger than 1 MiB/],
  }
  for (const [name, [text]] of Object.entries(files)) writeFileSync(pathOf(name), text)
  writeFileSync(pathOf('good.yaml'), 'accounts: [bluesky/ada.example.com]\ncaption: Hello')
  const { code, stderr, data } = await send(...[...Object.keys(files), 'good.yaml'].map(pathOf))
  t.strictSame([code, stderr], [1, ''])
  t.match(data.at(-1), { outcome: 'created' })
  for (const { file, outcome, problems } of data.slice(0, -1)) {
    t.match({ outcome, problem: problems[0] }, { outcome: 'refused', problem: files[basename(file)]![1] })
  }
})

t.test('a post has files of its folder alone, and no link leads out of it', async (t) => {
  const { ada, send, pathOf } = await createScene(t, {})
  const outside = await createFolder(t)
  const folder = await createFolder(t)
  writeFileSync(join(outside, 'secret.jpg'), await jpeg())
  writeFileSync(join(outside, 'secret.yaml'), 'accounts: [bluesky/ada.example.com]\ncaption: Secret')
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.git/secret.jpg'), await jpeg())
  writeFileSync(join(folder, 'own.jpg'), await jpeg())
  symlinkSync(outside, join(folder, 'linked'))
  symlinkSync(join(outside, 'secret.jpg'), join(folder, 'linked.jpg'))
  symlinkSync('own.jpg', join(folder, 'inside.jpg'))
  symlinkSync(join(outside, 'secret.yaml'), join(folder, 'linked.yaml'))
  symlinkSync('/dev/zero', join(folder, 'endless.yaml'))
  mkdirSync(join(folder, 'folder'))
  const media: Record<string, RegExp> = {
    [`../${basename(outside)}/secret.jpg`]: /secret\.jpg is outside of/,
    [join(outside, 'secret.jpg')]: /secret\.jpg is outside of/,
    '../../..': /media: \.\.\/\.\.\/\.\. is outside of/,
    'linked/secret.jpg': /linked\/secret\.jpg is outside of/,
    'linked.jpg': /linked\.jpg is outside of/,
    '.git/secret.jpg': /\.git\/secret\.jpg is outside of/,
    folder: /folder is not a file/,
    '': /is outside of|is not a file/,
  }
  const problems: string[] = []
  const seen = async (path: string) => (await send(path)).data[0]
  for (const [at, [name, wanted]] of Object.entries(media).entries()) {
    const path = join(folder, `${at}.yaml`)
    writeFileSync(path, JSON.stringify({ accounts: ['bluesky/ada.example.com'], media: [name] }))
    const { outcome, problems: found } = await seen(path)
    if (outcome !== 'refused' || !wanted.test(found[0])) problems.push(`${name}: ${outcome} ${found}`)
  }
  for (const name of ['linked.yaml', 'endless.yaml']) {
    const { outcome, problems: found } = await seen(join(folder, name))
    if (outcome !== 'refused' || !/^is outside of/.test(found[0])) problems.push(`${name}: ${outcome} ${found}`)
  }
  t.strictSame(problems, [])
  t.strictSame((await ada.call('GET', '/media')).body.data, [], 'no file was published')

  writeFileSync(join(folder, 'good.yaml'), 'accounts: [bluesky/ada.example.com]\nmedia: [own.jpg, inside.jpg]')
  t.match(await seen(join(folder, 'good.yaml')), { outcome: 'created' })
  mkdirSync(pathOf('posts'))
  writeFileSync(pathOf('beside.jpg'), await jpeg())
  writeFileSync(pathOf('posts/good.yaml'), 'accounts: [bluesky/ada.example.com]\nmedia: [../beside.jpg]')
  t.match(await seen(pathOf('posts/good.yaml')), { outcome: 'created' }, 'a file of the working directory')
})
