import t from 'tap'
import { accessTokenOf } from '../../src/platforms/wire/access-token.ts'

t.test('an access token is used as it is', (t) => {
  t.equal(accessTokenOf({ accessToken: 'act.Example!5301~-_/+=' }, 'TikTok'), 'act.Example!5301~-_/+=')
  t.end()
})

t.test('a token that no header can carry is refused, and not repeated', (t) => {
  for (const accessToken of [undefined, '', 's3cret\r\nx-evil: 1', 's3cret x', 's3crét', 's3cret\0']) {
    const credentials = accessToken === undefined ? {} : { accessToken }
    t.throws(() => accessTokenOf(credentials, 'TikTok'), {
      code: 'unauthorized',
      message: 'The account has no valid access token of TikTok: connect it again',
      needsAttention: true,
      retryable: false,
    })
  }
  t.end()
})
