import t, { type Test } from 'tap'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import { createWorld } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { callsOf, createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg, storeFile } from '../helpers/upload.ts'

const FOREIGN = '01890a5d-ac96-774b-bcce-b302099a8057'

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = repeating(await world.user())
  const [bluesky, mastodon] = [await ada.account('bluesky'), await ada.account('mastodon')]
  const files = await Promise.all(
    [1, 2, 3, 4, 5].map(async (seed) => storeFile(world.app, ada, [['file', await jpeg(40, 30, seed)]])),
  )
  const create = (body: object) =>
    ada.call('POST', '/posts', { accountIds: [bluesky, mastodon], caption: 'Hi', ...body })
  const read = async (id: string) => (await ada.call('GET', `/posts/${id}`)).body
  const ownFiles = async (id: string) => (await read(id)).targets.map(({ mediaIds }: { mediaIds: unknown }) => mediaIds)
  return { ...world, ada, bluesky, mastodon, files, create, read, ownFiles }
}

t.test('an account has the files of its override, none with an empty list, and else those of the post', async (t) => {
  const { connect, uploadFile, post, work, mastodon, bluesky } = await createNetworkWorld(t)
  const images = [await jpeg(40, 30, 1), await jpeg(40, 30, 2), await jpeg(40, 30, 3)]
  const [first, second, third] = await Promise.all(images.map((image) => uploadFile(image)))
  const accounts = [await connect('mastodon'), await connect('bluesky')]
  const publish = async (mediaIds: (string | undefined)[] | null) => {
    const before = [callsOf(mastodon, '/api/v2/media').length, callsOf(bluesky, 'uploadBlob').length]
    await post({
      accountIds: accounts,
      caption: 'Hi',
      mediaIds: [first],
      accountOverrides: [{ accountId: accounts[0], mediaIds }],
    })
    await work()
    return {
      mastodon: callsOf(mastodon, '/api/v2/media')
        .slice(before[0])
        .map(({ files }) => files[0]!.bytes),
      bluesky: callsOf(bluesky, 'uploadBlob').length - before[1]!,
    }
  }
  t.same(await publish([third, second, third]), { mastodon: [images[2], images[1], images[2]], bluesky: 1 })
  t.same(await publish([]), { mastodon: [], bluesky: 1 })
  t.same(await publish(null), { mastodon: [images[0]], bluesky: 1 })
})

t.test('limits apply to the files of the account, and the path leads to them', async (t) => {
  const { ada, bluesky, mastodon, files, create } = await createScene(t)
  const body = { accountIds: [bluesky], mediaIds: files }
  t.match(await create(body), { status: 400, body: { error: /post has 5 media files, at most 4 are allowed/ } })
  const own = { accountId: bluesky, mediaIds: files.slice(0, 4) }
  t.equal((await create({ ...body, accountOverrides: [own] })).status, 201)
  const tooMany = {
    accountIds: [mastodon, bluesky],
    caption: 'Hi',
    accountOverrides: [{ accountId: bluesky, mediaIds: files }],
  }
  const { body: validation } = await ada.call('POST', '/posts/validate', tooMany)
  t.match(validation, {
    publishable: false,
    violations: [
      { accountId: bluesky, rule: 'media_count', path: ['accountOverrides', 0, 'mediaIds'], limit: { max: 4 } },
    ],
    targets: [{ accountId: mastodon }, { accountId: bluesky }],
  })
  t.equal(validation.violations.length, 1)
  const counted = validation.targets[1].counts.find(({ unit }: { unit: string }) => unit === 'files')
  t.hasStrict(counted, { path: ['accountOverrides', 0, 'mediaIds'], actual: 5 })
})

t.test('files of others, unknown ones and no ids are refused, and nothing is stored', async (t) => {
  const { ada, app, user, bluesky, create } = await createScene(t)
  const eve = await user()
  const theirs = await storeFile(app, eve, [['file', await jpeg()]])
  for (const id of [theirs, FOREIGN, 'none']) {
    const { status, body } = await create({ accountOverrides: [{ accountId: bluesky, mediaIds: [id] }] })
    t.strictSame([status, body.error], [403, `You have no access to these mediaIds: ${id}`])
  }
  for (const mediaIds of ['', {}, [1], [null]]) {
    t.match(await create({ accountOverrides: [{ accountId: bluesky, mediaIds }] }), { status: 400 })
  }
  t.equal((await ada.call('GET', '/posts')).body.data.length, 0)
})

t.test('a patch changes the files of one account, and a removed account leaves none behind', async (t) => {
  const { ada, bluesky, mastodon, files, create, read, ownFiles } = await createScene(t)
  const [first, second, third] = files
  const accountOverrides = [{ accountId: bluesky, mediaIds: [second, third] }]
  const { id } = (await create({ mediaIds: [first], accountOverrides, scheduledAt: '2030-01-01T00:00:00Z' })).body
  const patch = async (body: object) => {
    const { status, body: reply } = await ada.call('PATCH', `/posts/${id}`, body)
    t.equal(status, 200, reply.error)
  }
  t.strictSame([(await read(id)).mediaIds, await ownFiles(id)], [[first], [[second, third], null]])

  await patch({ overrides: { [bluesky]: { mediaIds: [third] }, [mastodon]: { mediaIds: [] } } })
  t.strictSame(await ownFiles(id), [[third], []])
  await patch({ overrides: { [bluesky]: { captionOverride: 'Hi!' } } })
  t.strictSame(await ownFiles(id), [[third], []], 'another change keeps them')
  await patch({ mediaIds: [second] })
  t.strictSame([(await read(id)).mediaIds, await ownFiles(id)], [[second], [[third], []]])
  await patch({ overrides: { [mastodon]: { mediaIds: null } } })
  t.strictSame(await ownFiles(id), [[third], null])
  await patch({ accountIds: [mastodon] })
  t.strictSame(await ownFiles(id), [null])
  t.equal(
    (await ada.call('DELETE', `/media/${third}`)).status,
    200,
    'an account that was removed leaves no file behind',
  )
  await patch({ accountOverrides: [{ accountId: mastodon, mediaIds: [first] }] })
  t.strictSame(await ownFiles(id), [[first]])
  await patch({ overrides: null })
  t.strictSame(await ownFiles(id), [null])
})

t.test('a file that only an account has is in use until its delivery has sent it', async (t) => {
  const { ada, db, bluesky, files, create } = await createScene(t)
  const accountOverrides = [{ accountId: bluesky, mediaIds: [files[0]] }]
  const { id } = (await create({ accountOverrides, scheduledAt: '2030-01-01T00:00:00Z' })).body
  const remove = async () => (await ada.call('DELETE', `/media/${files[0]}`)).status
  t.equal(await remove(), 409)
  t.strictSame((await ada.call('GET', `/media/${files[0]}`)).body.postIds, [id])
  await markPostPublished(db, id)
  t.equal(await remove(), 200)
})
