import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
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

t.test('the GitHub Action checks what a pull request adds, and creates it after the merge', async (t) => {
  const { ada, env, folder } = await createScene(t, { posts: { 'old.yaml': 'accounts: [bluesky/ada.example.com]' } })
  const git = (...args: string[]) => {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    const { status, stdout, stderr } = spawnSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return stdout.trim()
  }
  git('init', '--quiet')
  const commit = () => {
    git('add', '.')
    git('commit', '--quiet', '--message', 'posts')
    return git('rev-parse', 'HEAD')
  }
  const BASE = commit()
  writeFileSync(join(folder, 'posts/new post.yaml'), `accounts: [bluesky/ada.example.com]\ncaption: ${'x'.repeat(301)}`)
  commit()

  const bin = await createFolder(t)
  // Lists the comment that it has written, by the id 7.
  const gh = `#!/bin/sh
if [ "$2" = --paginate ]; then test ! -e "$COMMENT" || echo 7; exit; fi
for arg; do last=$arg; done; printf "%s\n%s" "$1 $4" "$last" > "$COMMENT"
`
  writeFileSync(join(bin, 'gh'), gh, { mode: 0o755 })
  const COMMENT = join(bin, 'comment')
  const { runs, inputs } = parse(readFileSync('.github/actions/posts/action.yml', 'utf8'))
  const { run } = runs.steps.at(-1)
  const script = run.replace(/^.*(?=\/run\.sh$)/, join(process.cwd(), '.github/actions/posts'))
  const act = (facts: Record<string, string>) =>
    new Promise<{ code: number; stdout: string }>((resolve) => {
      const PATH = `${bin}:${process.env.PATH}`
      const options = { cwd: folder, env: { ...env, PATH, FILES: inputs.files.default, BASE, COMMENT, ...facts } }
      execFile('bash', ['-c', script], options, (error, stdout) => resolve({ code: Number(error?.code ?? 0), stdout }))
    })

  const checked = await act({ PULL_REQUEST: '7' })
  t.match(checked, { code: 1, stdout: /posts\/new post\.yaml: refused\n.*at most 300 are allowed/ })
  const report = '<!-- postroom -->\n### Posts\n\n~~~~text\nposts/new post.yaml'
  const comment = () => readFileSync(COMMENT, 'utf8')
  t.ok(comment().startsWith(`pr --body\n${report}: refused\n`), comment())
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])

  writeFileSync(join(folder, 'posts/new post.yaml'), 'accounts: [bluesky/ada.example.com]\ncaption: Hello')
  commit()
  t.match(await act({ PULL_REQUEST: '7' }), { code: 0, stdout: 'posts/new post.yaml: valid\n' })
  const edited = `api PATCH\nbody=${report}: valid\n`
  t.ok(
    comment()
      .replace(/(?<=PATCH).*\n/, '\n')
      .startsWith(edited),
    comment(),
  )
  t.match(await act({}), {
    code: 0,
    stdout: /^posts\/new post\.yaml: created \(.*, draft\)\n {2}warning: .* no credentials/,
  })
  t.match(await act({}), { code: 0, stdout: /^posts\/new post\.yaml: exists / }, 'a run again creates nothing')
  const list = async () => (await ada.call('GET', '/posts')).body.data
  const data = await list()
  t.match(data, [{ caption: 'Hello', externalReference: 'posts/new post.yaml' }], 'the old file is no new post')
  t.equal(data.length, 1)

  // Git takes a deleted file and an added one that is similar for a renamed one.
  const since = git('rev-parse', 'HEAD')
  const long = `accounts: [bluesky/ada.example.com]\ncaption: ${'The lamp is lit. '.repeat(15)}`
  writeFileSync(join(folder, 'posts/monday.yaml'), long)
  const BASE_OF_RENAMES = commit()
  rmSync(join(folder, 'posts/monday.yaml'))
  writeFileSync(join(folder, 'posts/tuesday.yaml'), `${long}!`)
  renameSync(join(folder, 'posts/old.yaml'), join(folder, 'posts/older.yaml'))
  commit()
  t.match(await act({ BASE: BASE_OF_RENAMES }), { code: 0, stdout: /^posts\/tuesday\.yaml: created .*\n( .*\n)*$/ })
  t.equal((await list()).length, 2)

  // A file of another commit is another post, though its text and its path are those of a deleted post.
  await ada.call('DELETE', `/posts/${data[0].id}`)
  t.match(await act({ BASE: since }), { code: 0, stdout: /tuesday\.yaml: exists/ })
  rmSync(join(folder, 'posts/new post.yaml'))
  const BASE_OF_AGAIN = commit()
  writeFileSync(join(folder, 'posts/new post.yaml'), 'accounts: [bluesky/ada.example.com]\ncaption: Hello')
  commit()
  t.match(await act({ BASE: BASE_OF_AGAIN }), { code: 0, stdout: /new post\.yaml: created/ })
  t.equal((await list()).length, 2)
})
