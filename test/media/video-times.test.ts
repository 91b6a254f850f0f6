import t from 'tap'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { addVideoWorker, encode, needsFfmpeg, PICTURE } from '../helpers/videos.ts'

t.test('a video is needed at the earliest time that one of its deliveries has had', needsFfmpeg, async (t) => {
  const { connect, uploadFile, ada, db } = await createNetworkWorld(t)
  await addVideoWorker(db)
  const file = await uploadFile(await encode(t, 'mov', `${PICTURE('320x180', 10, 1)} -c:v mpeg4`))
  const accountId = await connect('telegram')
  const body = { accountIds: [accountId], caption: 'Hi', mediaIds: [file], mediaFit: 'auto' }
  const create = async () => {
    const { status, body: created } = await ada.call('POST', '/posts', body)
    t.equal(status, 201, created.error)
    return created.id
  }
  const schedule = async (id: string, scheduledAt: string | null) => {
    t.match(await ada.call('PATCH', `/posts/${id}`, { scheduledAt }), { status: 200 })
  }
  const neededAt = async () =>
    (await db.selectFrom('renditionJobs').select('neededAt').executeTakeFirstOrThrow()).neededAt
  const isNeededAt = async (time: string) => t.strictSame(await neededAt(), new Date(time))

  const [first, second] = [await create(), await create()]
  t.equal(Number(await neededAt()), Infinity, 'a draft needs it last')
  await schedule(first, '2999-01-03T00:00:00Z')
  await isNeededAt('2999-01-03T00:00:00Z')
  await schedule(first, '2999-01-02T00:00:00Z')
  await isNeededAt('2999-01-02T00:00:00Z')
  await schedule(second, '2999-01-01T00:00:00Z')
  await isNeededAt('2999-01-01T00:00:00Z')
  await schedule(second, '2999-01-04T00:00:00Z')
  await schedule(second, null)
  await isNeededAt('2999-01-01T00:00:00Z')
  t.match(await ada.call('POST', `/posts/${first}/publish`), { status: 202 })
  t.ok((await neededAt()) < new Date('2999-01-01T00:00:00Z'), 'it is needed now')
})
