import t from 'tap'
import { postroom } from '../helpers/command.ts'

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
    t.equal(code, 2, args.join(' '))
    t.equal(stdout, '')
    t.match(stderr, message)
  }
  const config = await postroom(['user', 'create', '--name', 'a'], { ...env, PORT: 'abc' })
  t.strictSame([config.code, config.stdout], [2, ''])
  t.match(config.stderr, /^error: PORT must/)
})

t.test('every command has a help text', async (t) => {
  const commands = ['', 'start', 'serve', 'worker', 'migrate', 'openapi', 'user', 'user create', 'user delete']
  commands.push(
    'org',
    'org create',
    'org add-member',
    'org delete',
    'org remove-member',
    'key',
    'key create',
    'key list',
    'key revoke',
  )
  commands.push(
    'account',
    'account add',
    'account connect',
    'account disconnect',
    'account rewrap',
    'post',
    'post mark-published',
    'post export',
    'post import',
  )
  commands.push('doctor', 'user list', 'org list', 'account list', 'account forget-lost', 'post show')
  commands.push('delivery', 'delivery list')
  commands.push('webhook', 'webhook list', 'webhook disable', 'webhook enable')
  commands.push('media', 'media add', 'media sweep', 'media register')
  for (const command of commands) {
    const { code, stdout, stderr } = await postroom([...command.split(' ').filter(Boolean), '--help'], {})
    t.equal(code, 0, command)
    t.ok(stdout.startsWith(`Usage: postroom ${command}`.trim()), stdout)
    t.equal(stderr, '')
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
