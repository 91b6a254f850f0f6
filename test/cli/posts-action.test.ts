import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { createFolder, createWorld } from '../helpers/app.ts'

interface Run {
  code: number
  stdout: string
  stderr: string
}

/** A repository of posts, and the action in it. */
async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  await ada.account('bluesky', { username: 'ada.example.com' })
  const POSTROOM_URL = await world.app.listen({ host: '127.0.0.1', port: 0 })
  const folder = await createFolder(t)
  mkdirSync(join(folder, 'posts'))
  const gitIn = (cwd: string, ...args: string[]) => {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'protocol.file.allow=always']
    const { status, stdout, stderr } = spawnSync('git', [...author, ...args], { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return stdout.trim()
  }
  const git = (...args: string[]) => gitIn(folder, ...args)
  git('init', '--quiet', '--initial-branch=main')
  const commit = () => {
    git('add', '.')
    git('commit', '--quiet', '--allow-empty', '--message', 'posts')
    return git('rev-parse', 'HEAD')
  }
  const write = (name: string, text = 'accounts: [bluesky/ada.example.com]\ncaption: Hello') =>
    writeFileSync(join(folder, name), text)

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
  const env = {
    POSTROOM_URL,
    POSTROOM_KEY: ada.key,
    PATH: `${bin}:${process.env.PATH}`,
    FILES: inputs.files.default,
    COMMENT,
  }
  const act = (facts: Record<string, string>, cwd = folder) =>
    new Promise<Run>((resolve) => {
      execFile(
        'bash',
        ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
        { cwd, env: { ...env, ...facts } },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      )
    })
  const list = async () => (await ada.call('GET', '/posts')).body.data
  return { ada, folder, git, gitIn, commit, write, act, list, comment: () => readFileSync(COMMENT, 'utf8') }
}

t.test('the GitHub Action checks what a pull request adds, and creates it after the merge', async (t) => {
  const { ada, folder, git, commit, write, act, list, comment } = await createScene(t)
  write('posts/old.yaml', 'accounts: [bluesky/ada.example.com]')
  const BASE = commit()
  write('posts/new post.yaml', `accounts: [bluesky/ada.example.com]\ncaption: ${'x'.repeat(301)}`)
  commit()

  const checked = await act({ BASE, PULL_REQUEST: '7' })
  t.match(checked, { code: 1, stdout: /posts\/new post\.yaml: refused\n.*at most 300 are allowed/ })
  const report = '<!-- postroom -->\n### Posts\n\n~~~~text\nposts/new post.yaml'
  t.ok(comment().startsWith(`pr --body\n${report}: refused\n`), comment())
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])

  write('posts/new post.yaml')
  commit()
  t.match(await act({ BASE, PULL_REQUEST: '7' }), { code: 0, stdout: 'posts/new post.yaml: valid\n' })
  const edited = `api PATCH\nbody=${report}: valid\n`
  t.ok(
    comment()
      .replace(/(?<=PATCH).*\n/, '\n')
      .startsWith(edited),
    comment(),
  )
  t.match(await act({ BASE }), {
    code: 0,
    stdout: /^posts\/new post\.yaml: created \(.*, draft\)\n {2}warning: .* no credentials/,
  })
  t.match(await act({ BASE }), { code: 0, stdout: /^posts\/new post\.yaml: exists / }, 'a run again creates nothing')
  const data = await list()
  t.match(data, [{ caption: 'Hello', externalReference: 'posts/new post.yaml' }], 'the old file is no new post')
  t.equal(data.length, 1)

  // Git takes a deleted file and an added one that is similar for a renamed one.
  const since = git('rev-parse', 'HEAD')
  const long = `accounts: [bluesky/ada.example.com]\ncaption: ${'The lamp is lit. '.repeat(15)}`
  write('posts/monday.yaml', long)
  const BASE_OF_RENAMES = commit()
  rmSync(join(folder, 'posts/monday.yaml'))
  write('posts/tuesday.yaml', `${long}!`)
  renameSync(join(folder, 'posts/old.yaml'), join(folder, 'posts/older.yaml'))
  commit()
  t.match(await act({ BASE: BASE_OF_RENAMES }), { code: 0, stdout: /^posts\/tuesday\.yaml: created .*\n( .*\n)*$/ })
  t.equal((await list()).length, 2)

  // A file of another commit is another post, though its text and its path are those of a deleted post.
  await ada.call('DELETE', `/posts/${data[0].id}`)
  t.match(await act({ BASE: since }), { code: 0, stdout: /tuesday\.yaml: exists/ })
  rmSync(join(folder, 'posts/new post.yaml'))
  const BASE_OF_AGAIN = commit()
  write('posts/new post.yaml')
  commit()
  t.match(await act({ BASE: BASE_OF_AGAIN }), { code: 0, stdout: /new post\.yaml: created/ })
  t.equal((await list()).length, 2)
})

t.test('a file that is moved and edited does not become a second post in silence', async (t) => {
  const { folder, git, commit, write, act, list } = await createScene(t)
  const text = (end: string) =>
    `accounts: [bluesky/ada.example.com]\ncaption: |\n${'  The lamp is lit.\n'.repeat(9)}  ${end}`
  const BASE = commit()
  write('posts/launch.yaml', text('Twelve pictures'))
  const launched = commit()
  t.match(await act({ BASE }), { code: 0, stdout: /^posts\/launch\.yaml: created/ })

  mkdirSync(join(folder, 'posts/2026'))
  git('mv', 'posts/launch.yaml', 'posts/2026/launch.yaml')
  write('posts/2026/launch.yaml', text('12 pictures'))
  write('posts/new.yaml')
  commit()
  for (const facts of [{ PULL_REQUEST: '7' }, {}]) {
    t.match(await act({ BASE: launched, ...facts }), {
      code: 1,
      stdout:
        /^posts\/new\.yaml: (?:valid|created)(?:.|\n)*\nposts\/2026\/launch\.yaml: refused\n.* moved from posts\/launch\.yaml, whose post exists\. .* add externalReference: posts\/launch\.yaml to .*add externalReference: posts\/2026\/launch\.yaml\n/,
    })
  }
  t.equal((await list()).length, 2)

  write('posts/2026/launch.yaml', `externalReference: posts/launch.yaml\n${text('12 pictures')}`)
  commit()
  t.match(await act({ BASE: launched }), { code: 0, stdout: /launch\.yaml: exists/ })
  write('posts/2026/launch.yaml', `externalReference: posts/2026/launch.yaml\n${text('12 pictures')}`)
  commit()
  t.match(await act({ BASE: launched }), { code: 0, stdout: /launch\.yaml: created/ })
})

/** The commands that the runner finds in the lines of a step: https://github.com/actions/runner, ActionCommand.cs */
const findCommands = (output: string) =>
  output.split(/\r\n|\r|\n/).filter((line) => line.trimStart().startsWith('::') || line.includes('##['))

t.test('no text of a pull request is a command of the runner', async (t) => {
  const { folder, commit, write, act, comment } = await createScene(t)
  const BASE = commit()
  const texts = ['::error::x', ' :::stop-commands::x', '##[error]x', '###[group]x', '::add-mask::%0A::error::x']
  for (const [index, text] of texts.entries()) {
    const hostile = `${text}\n${text}\r${text}\u2028${text}`
    write(`posts/${index}.yaml`, JSON.stringify({ accounts: [`bluesky/${hostile}`] }))
    write(`posts/${index}.json`, JSON.stringify({ accounts: ['bluesky/ada.example.com'], [hostile]: 1 }))
    write(`posts/${index}.md`, `---\n%${text}\n${text}: *${text}\n---\n`)
    write(`posts/${text.replaceAll('/', '')}\n${text}.yaml`, `accounts: ${text}`)
  }
  mkdirSync(join(folder, '::error::'))
  write('::error::/x.yaml', 'accounts: ::error::')
  commit()
  const FILES = 'posts/*.md posts/*.yaml posts/*.json *error*/x.yaml'
  for (const facts of [{}, { PULL_REQUEST: '7' }]) {
    const { code, stdout, stderr } = await act({ BASE, FILES, ...facts })
    t.equal(code, 1)
    t.strictSame(findCommands(`${stdout}\n${stderr}`), [])
    t.equal(stdout.match(/: refused$/gm)?.length, texts.length * 4 + 1, stdout)
  }
  t.ok(comment().includes('::error::'), 'a comment has the texts as they are')
})

t.test('without a usable commit before, the posts of the last commit are read', async (t) => {
  const { folder, git, gitIn, commit, write, act, list } = await createScene(t)
  const origin = await createFolder(t)
  gitIn(origin, 'init', '--quiet', '--bare', '--initial-branch=main')
  git('remote', 'add', 'origin', origin)
  const push = () => git('push', '--quiet', 'origin', 'HEAD:main')
  const bases = ['0'.repeat(40), '', '1'.repeat(40)]
  const problems: string[] = []
  const tryAll = async (cwd: string, turn: string, names: string[]) => {
    for (const BASE of bases) {
      const { code, stdout, stderr } = await act({ BASE, PULL_REQUEST: '7' }, cwd)
      const found = [...stdout.matchAll(/^(.*): valid$/gm)].map(([, name]) => name)
      const isRight = code === 0 && stderr === '' && found.join() === names.join()
      if (!isRight || !stdout.includes('only posts that the last commit adds')) {
        problems.push(`${turn}, ${BASE}: ${code} ${stdout} ${stderr}`)
      }
    }
  }
  write('posts/a.yaml')
  commit()
  push()
  await tryAll(folder, 'first commit', ['posts/a.yaml'])
  write('posts/b.yaml')
  commit()
  push()
  await tryAll(folder, 'second commit', ['posts/b.yaml'])
  const shallow = await createFolder(t)
  gitIn(shallow, 'clone', '--quiet', '--depth=1', `file://${origin}`, '.')
  await tryAll(shallow, 'shallow clone', ['posts/b.yaml'])
  t.strictSame(problems, [])

  const alone = await createFolder(t)
  gitIn(alone, 'clone', '--quiet', '--depth=1', `file://${origin}`, '.')
  gitIn(alone, 'remote', 'remove', 'origin')
  t.match(await act({ BASE: '' }, alone), {
    code: 1,
    stdout: /^$/,
    stderr: /^The commit before \w+ is missing in this clone: set fetch-depth: 2 of actions\/checkout\n$/,
  })
  t.match(await act({ BASE: '' }, await createFolder(t)), {
    code: 1,
    stdout: /^$/,
    stderr: /^git reads no commit in .*: run actions\/checkout before.*\n$/,
  })
  t.strictSame(await list(), [])
})
