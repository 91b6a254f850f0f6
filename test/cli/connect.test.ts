import t from 'tap'
import { connectInTerminal, type Terminal } from '../../src/cli/actions/connect.ts'
import { createConnectionWorld } from '../connections/scene.ts'
import { postroom } from '../helpers/command.ts'
import { redirectBack } from '../helpers/connect-oauth.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'

/** A person who opens the address, consents, pastes the address of the browser, and then writes `numbers`. */
function person(numbers = '', parameters?: Record<string, string>) {
  const said: string[] = []
  const terminal: Terminal = {
    say: (text) => void said.push(text),
    async ask(question) {
      if (question.startsWith('Numbers')) return numbers
      const url = said.join('\n').match(/https:\S+/)![0]
      return ` ${await redirectBack(parameters)(new URL(url))} \n`
    },
  }
  return { said, terminal }
}

t.test('account connect takes the address that the browser showed, and connects what is chosen', async (t) => {
  const world = await createConnectionWorld(t)
  const { ada, oauth, accounts } = world
  const connect = ({ terminal }: ReturnType<typeof person>) =>
    connectInTerminal(world, ada.id, { platform: 'x' }, terminal)
  t.match(await connect(person()), [{ platform: 'x', username: 'user1' }])

  oauth.accounts = [grantedAccount('2'), grantedAccount('3'), grantedAccount('4')]
  const chooser = person('3, 1')
  t.match(await connect(chooser), [{ username: 'user2' }, { username: 'user4' }])
  t.match(chooser.said.join('\n'), '2  User 3 (profile)')
  t.equal((await accounts()).length, 3)
  const message = 'Write numbers from 1 to 3, separated by spaces'
  for (const numbers of ['', '4', 'a', '0']) await t.rejects(connect(person(numbers)), { message })
  await t.rejects(connect(person('', { error: 'access_denied' })), { message: 'The access was refused at x' })
})

t.test('account connect says in one line what is missing', async (t) => {
  const { databaseUrl, ada, keyring } = await createConnectionWorld(t)
  t.ok(keyring)
  const env = { DATABASE_URL: databaseUrl }
  const run = (...args: string[]) => postroom(['account', 'connect', ...args], env)
  t.match(await run('--platform', 'telegram', '--user', ada.id), {
    code: 1,
    stderr: /telegram accounts cannot be connected by OAuth\n$/,
  })
  t.match(await run('--platform', 'telegram', '--user', 'a'), { code: 1, stderr: /There is no user with this id\n$/ })
})
