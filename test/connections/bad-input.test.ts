import t from 'tap'
import { recordSecrets } from '../helpers/log-record.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { createConnectionWorld } from './scene.ts'

t.test('what cannot be stored or sent again is not stored', async (t) => {
  const { db, oauth, connect, accounts } = await createConnectionWorld(t)
  const good = grantedAccount('1')
  const { profile, tokens } = good!
  const bad: Record<string, object> = {
    'a line break in a token': { ...good, tokens: { ...tokens, credentials: { accessToken: 'a\r\nb' } } },
    'a token that is no text': { ...good, tokens: { ...tokens, credentials: { accessToken: 5 } } },
    'half of a surrogate pair': { ...good, tokens: { ...tokens, credentials: { accessToken: '\ud800' } } },
    'a huge token': { ...good, tokens: { ...tokens, credentials: { accessToken: 'a'.repeat(20_000) } } },
    'no id': { ...good, profile: { ...profile, externalId: '' } },
    'NUL in an id': { ...good, profile: { ...profile, externalId: '1\0' } },
    'an id that is a number': { ...good, profile: { ...profile, externalId: 17841405822304914 } },
    'an invalid time': { ...good, tokens: { ...tokens, expiresAt: new Date(Number.NaN) } },
  }
  for (const [what, account] of Object.entries(bad)) {
    oauth.accounts = [account as typeof good]
    t.strictSame(
      (await connect()).error,
      { code: 'invalid_response', message: 'x sent a response that Postroom does not understand' },
      what,
    )
  }
  oauth.accounts = Array.from({ length: 1_001 }, (_, index) => ({
    ...good,
    profile: { ...profile, externalId: `${index}` },
  }))
  t.equal((await connect()).error.code, 'invalid_response', 'more accounts than a person chooses from')
  t.strictSame(await accounts(), [])
  t.strictSame(await db.selectFrom('accountCredentials').selectAll().execute(), [])

  oauth.accounts = [{ ...good, profile: { ...profile, username: 'a\0b', displayName: '\u0007<b>' } }]
  t.match((await connect()).accounts, [{ username: 'a b', displayName: ' <b>' }])
})

t.test('an unexpected failure says nothing about its cause, and leaks nothing', async (t) => {
  const { oauth, connect, log } = await createConnectionWorld(t)
  oauth.finishError = new TypeError('fetch failed')
  t.strictSame((await connect()).error, { code: 'internal_error', message: 'An unexpected failure' })
  t.match(log.join(''), 'fetch failed', 'the log has it')
})

t.test('no log line contains the link, the state, the code or the cookie', async (t) => {
  const { open, log, db } = await createConnectionWorld(t)
  const { browser, callback, id, page } = await open()
  await browser.get(callback)
  const { searchParams } = new URL(callback)
  const cookie = /=([\w-]+);/.exec(String(page.headers['set-cookie']))![1]!
  recordSecrets('credentials', cookie)
  const lines = log.join('')
  for (const secret of [searchParams.get('state')!, 'the-code', cookie]) t.notOk(lines.includes(secret))
  t.match(lines, '"url":"/connect/:token"')
  t.match(lines, '"url":"/connect/callback"')
  t.ok(id && db)
})

t.test('returnUrl has to begin with a listed URL, and gets the connection and its state alone', async (t) => {
  const { create, open, oauth } = await createConnectionWorld(t)
  for (const returnUrl of [
    'https://app.example.com',
    'https://app.example.com/accounts-of-others',
    'https://app.example.com/accounts/../admin',
    'https://app.example.com/%2e%2e/accounts/%2e%2e/admin',
    'https://app.example.com@evil.example/accounts',
    'https://user@app.example.com/accounts',
    'https://app.example.com.evil.example/accounts',
    'http://app.example.com/accounts',
    'https://app.example.com:8443/accounts',
    'https://app.example.com/accounts#code=',
    '//app.example.com/accounts',
    'javascript:alert(1)//https://app.example.com/accounts',
    '',
  ]) {
    const { status, headers } = await create({ returnUrl })
    t.strictSame([status, headers['x-error-code']], [400, 'return_url_not_allowed'], returnUrl)
  }
  for (const [returnUrl, parameters] of [
    ['https://app.example.com/accounts', ''],
    ['https://app.example.com/accounts/new?tab=2&state=old', 'tab=2&'],
  ]) {
    const { id, browser, callback } = await open({ returnUrl })
    const back = await browser.get(callback)
    t.equal(back.location, expected(returnUrl!, parameters!, id, 'connected'))
  }
  oauth.accounts = []
  const { id, browser, callback } = await open({ returnUrl: 'https://app.example.com/accounts' })
  t.equal((await browser.get(callback)).location, expected('https://app.example.com/accounts', '', id, 'failed'))
})

function expected(returnUrl: string, parameters: string, id: string, state: string): string {
  const url = new URL(returnUrl)
  if (url.searchParams.has('state')) return `${url.origin}${url.pathname}?${parameters}state=${state}&connection=${id}`
  return `${url.origin}${url.pathname}?${parameters}connection=${id}&state=${state}`
}
