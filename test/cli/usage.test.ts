import type { Command } from 'commander'
import t from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import { buildProgram } from '../../src/cli/program.ts'
import { postroom, postroomProcess } from '../helpers/command.ts'

const UNKNOWN = '0196f0a1-0000-7000-8000-000000000000'

t.test('a usage error is explained on stderr, with exit code 2', async (t) => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1:1/nobody' }
  const media = ['media', 'register', '--user', UNKNOWN]
  const cases: [string[], RegExp][] = [
    [[], /Usage: postroom/],
    [['nonsense'], /unknown command/],
    [['user'], /Usage: postroom user/],
    [['user', 'create'], /--name/],
    [['user', 'create', '--name', ' '], /must not be empty/],
    [['user', 'create', '--name', 'a', '--nonsense'], /unknown option/],
    [['user', 'create', '--name', 'a', 'more'], /too many arguments/],
    [['key', 'create', '--user', UNKNOWN, '--expires-at', 'tomorrow'], /Invalid datetime/],
    [['key', 'create', '--user', UNKNOWN, '--scopes', 'posts:read,posts'], /"posts" is not one of posts:read, /],
    [['key', 'revoke'], /missing required argument/],
    [['org', 'add-member', '--org', UNKNOWN, '--user', UNKNOWN, '--role', 'king'], /Allowed choices/],
    [['account', 'add', '--platform', 'myspace', '--username', 'a', '--user', UNKNOWN], /Allowed choices/],
    [['post', 'import', 'a.csv'], /--user/],
    [['post', 'import', 'a.csv', '--user', UNKNOWN, '--time-zone', 'CET'], /Unknown time zone 'CET'/],
    [['webhook', 'disable'], /give either the id of a webhook or --all/],
    [['webhook', 'disable', UNKNOWN, '--all'], /give either the id of a webhook or --all/],
    [[...media, '--mime-type', 'image', '--bytes', '1'], /image\/jpeg/],
    [[...media, '--mime-type', 'image/png', '--bytes', '1.5'], /whole number/],
    [[...media, '--mime-type', 'image/png', '--bytes', '1', '--duration-seconds', '-1'], /seconds/],
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await postroom(args, env)
    t.strictSame([code, stdout], [2, ''], args.join(' '))
    t.match(stderr, message)
  }
  const config = await postroom(['user', 'create', '--name', 'a'], { ...env, PORT: 'abc' })
  t.strictSame([config.code, config.stdout], [2, ''])
  t.match(config.stderr, /^error: PORT must/)
})

t.test('a process exits with 0 after a success, 1 after a failure and 2 after a usage error', async (t) => {
  const version = { code: 0, stdout: `${manifest.version}\n`, stderr: '' }
  t.strictSame(await postroomProcess(['--version'], {}), version)
  const failure = await postroomProcess(['user', 'list'], { DATABASE_URL: 'postgres://127.0.0.1:1/nobody' })
  t.strictSame([failure.code, failure.stdout], [1, ''])
  t.match(failure.stderr, /^error: The database is not available.*\n$/)
  const mistake = await postroomProcess(['nonsense'], {})
  t.strictSame([mistake.code, mistake.stdout], [2, ''])
  t.match(mistake.stderr, /unknown command/)
})

/** The command and all below it, each with its words. */
function* commandsOf(command: Command, words: string[] = []): Generator<[words: string[], command: Command]> {
  yield [words, command]
  for (const each of command.commands) yield* commandsOf(each, [...words, each.name()])
}

t.test('every command has a description and a help text', async (t) => {
  const commands = [...commandsOf(buildProgram(process))]
  t.ok(commands.length > 40, `${commands.length} commands`)
  const problems: string[] = []
  for (const [words, command] of commands) {
    const { code, stdout, stderr } = await postroom([...words, '--help'], {})
    const isHelp = stdout.startsWith(`Usage: ${['postroom', ...words].join(' ')} `)
    if (code === 0 && isHelp && stderr === '' && command.description() !== '') continue
    problems.push(`${words.join(' ')}: exit code ${code}, stdout: ${stdout}, stderr: ${stderr}`)
  }
  t.strictSame(problems, [])
})

t.test('the version and a help text load no package but commander', async (t) => {
  const printUrls = `import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context) } })`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(printUrls)}` }
  for (const args of [['--version'], ['post', 'import', '--help']]) {
    const { code, stderr } = await postroomProcess(args, env)
    // Before it, tap loads packages of its own.
    const [, urls = ''] = stderr.split('/src/cli/postroom.ts\n')
    const packages = [...urls.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name)
    t.strictSame([code, [...new Set(packages)]], [0, ['commander']], args.join(' '))
  }
})

t.test('a request for help succeeds', async (t) => {
  for (const args of [['help'], ['help', 'user'], ['user', 'help', 'create'], ['--version']]) {
    const { code, stdout } = await postroom(args, {})
    t.equal(code, 0, args.join(' '))
    t.not(stdout, '')
  }
})

t.test('the help of account add says that nothing is published to the account', async (t) => {
  const { stdout } = await postroom(['account', 'add', '--help'], {})
  t.match(stdout.replace(/\s+/g, ' '), /posts can name it, but nothing is published to it/)
})
