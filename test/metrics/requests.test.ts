import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { samplesOf } from '../helpers/scrape.ts'

const COUNT = 'postroom_http_request_duration_seconds_count'

t.test('requests are counted by method, route template and status, and never by URL', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const { body } = await ada.call('POST', '/posts', { accountIds: [await ada.account()], caption: 'hello' })
  await ada.call('GET', `/posts/${body.id}`)
  await ada.call('GET', '/posts?limit=2')
  await ada.call('GET', '/posts?limit=none')
  await app.inject(`/api/v1/posts/${body.id}`)
  for (const url of ['/wp-login.php', `/api/v1/unknown/${body.id}`]) await app.inject(url)
  await app.inject({ method: 'PUT', url: '/api/v1/posts' })

  const { payload } = await app.inject('/metrics')
  const samples = Object.entries(samplesOf(payload)).filter(([name]) => name.startsWith(COUNT))
  t.strictSame(Object.fromEntries(samples.map(([name, count]) => [name.slice(COUNT.length), count])), {
    '{method="POST",route="/api/v1/posts",status="201"}': 1,
    '{method="GET",route="/api/v1/posts/:id",status="200"}': 1,
    '{method="GET",route="/api/v1/posts",status="200"}': 1,
    '{method="GET",route="/api/v1/posts",status="400"}': 1,
    '{method="GET",route="/api/v1/posts/:id",status="401"}': 1,
    '{method="any",route="none",status="404"}': 2,
    '{method="any",route="none",status="405"}': 1,
  })
  for (const secret of [body.id, 'wp-login', 'limit', ada.id, ada.key]) t.notOk(payload.includes(secret))
})
