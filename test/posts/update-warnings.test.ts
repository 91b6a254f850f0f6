import t from 'tap'
import { createWorld } from '../helpers/app.ts'

const CREDENTIALS = { credentials: { username: 'ada' } }
const PAST = '2001-01-01T00:00:00Z'

t.test('with strict=true, a patch with warnings changes nothing', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const ready = await ada.account('mastodon', CREDENTIALS)
  const { body: created } = await ada.call('POST', '/posts', { accountIds: [ready], caption: 'a' })
  const path = `/posts/${created.id}`
  const before = await ada.call('GET', path)
  const refused = await ada.call('PATCH', `${path}?strict=true`, { caption: 'b', threadParts: { [ready]: ['one'] } })
  t.strictSame([refused.status, refused.headers['x-error-code']], [400, 'warnings_not_allowed'])
  t.strictSame(
    refused.body.details.map((each: { path: unknown }) => each.path),
    [['threadParts']],
  )
  t.strictSame((await ada.call('GET', path)).headers.etag, before.headers.etag)
  t.equal((await ada.call('PATCH', `${path}?strict=true`, { caption: 'b' })).status, 200)
  t.equal((await ada.call('PATCH', `${path}?strict=yes`, { caption: 'c' })).status, 400)
})

t.test('a patch returns the warnings that a create with the same content would return', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [ready, other] = [await ada.account('mastodon', CREDENTIALS), await ada.account('x')]
  const { body: created } = await ada.call('POST', '/posts', { accountIds: [ready], caption: 'a' })
  const patch = async (body: object) => {
    const reply = await ada.call('PATCH', `/posts/${created.id}`, body)
    t.equal(reply.status, 200, reply.body.error)
    const reread = await ada.call('GET', `/posts/${created.id}`)
    t.equal(reread.headers.etag, reply.headers.etag, 'warnings do not count for the ETag')
    return reply.body.warnings?.map(({ code, path, accountId }: Record<string, unknown>) => [code, path, accountId])
  }
  t.equal(await patch({ caption: 'b' }), undefined)
  const parts = ['unused_thread_parts', ['threadParts'], undefined]
  t.strictSame(await patch({ threadParts: { [ready]: ['one'] } }), [parts])
  t.strictSame(await patch({ threadParts: null, scheduledAt: PAST }), [['past_time', ['scheduledAt'], undefined]])
  t.strictSame(await patch({ scheduledAt: null, accountIds: [ready, ready, other] }), [
    ['account_attention', ['accountIds', 2], other],
  ])
  const field = (path: unknown[]) => ['unknown_field', [...path, 'fields', 'visiblity'], ready]
  const unready = ['account_attention', ['accountIds', 1], other]
  const fields = { visiblity: 'private' }
  t.strictSame(await patch({ overrides: { [ready]: { fields } } }), [field(['overrides', ready]), unready])
  t.strictSame(await patch({ caption: 'c' }), [field(['overrides', ready]), unready], 'also for what the patch keeps')
  const accountOverrides = [{ accountId: other }, { accountId: ready, fields }]
  t.strictSame(await patch({ accountOverrides }), [field(['accountOverrides', 1]), unready])
  t.strictSame(await patch({}), [field(['overrides', ready]), unready], 'also where nothing changes')

  const { body: again } = await ada.call('POST', '/posts', {
    accountIds: [ready, other],
    caption: 'c',
    accountOverrides,
  })
  const { body: patched } = await ada.call('PATCH', `/posts/${created.id}`, { accountOverrides })
  t.strictSame(patched.warnings, again.warnings)
})

t.test('a time with an offset that removes the zone of the post is a warning', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account('mastodon', CREDENTIALS)]
  const local = { scheduledAt: '2030-01-15T09:30:00', timeZone: 'Europe/Berlin' }
  const { body: created } = await ada.call('POST', '/posts', { accountIds, caption: 'a', ...local })
  const patch = async (body: object) => {
    const { body: post } = await ada.call('PATCH', `/posts/${created.id}?strict=true`, body)
    return [post.timeZone, post.warnings?.map(({ code, path }: Record<string, unknown>) => [code, path])]
  }
  t.strictSame(await patch({ scheduledAt: '2030-01-16T09:30:00' }), ['Europe/Berlin', undefined])
  const warning = ['removed_time_zone', ['scheduledAt']]
  t.strictSame(await patch({ scheduledAt: '2030-01-17T09:30:00Z' }), [undefined, [warning]])
  t.strictSame(await patch({ scheduledAt: '2030-01-18T09:30:00Z' }), [undefined, undefined])
})
