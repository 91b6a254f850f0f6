import t from 'tap'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { withoutMetadata } from '../helpers/without-metadata.ts'

const SECOND = 1_000
const BOARD = '549755885175'
const on = 'POST /v5/pins'

/** A video of 4 seconds at least, as Pinterest requires. */
const FILM = await withoutMetadata('test/samples/slow.mp4', 'video/mp4')

async function start(t: Parameters<typeof createNetworkWorld>[0]) {
  const world = await createNetworkWorld(t)
  const account = await world.connect('pinterest')
  const pin = async (caption: string, { fields = {}, files = [], ...post }: { [key: string]: unknown } = {}) => {
    const contents = (files as Buffer[]).length > 0 ? (files as Buffer[]) : [await jpeg(400, 300, 1)]
    const mediaIds = []
    for (const content of contents) mediaIds.push(await world.uploadFile(content))
    const override = { accountId: account, fields: { boardId: BOARD, ...(fields as object) } }
    return world.post({ accountIds: [account], caption, mediaIds, accountOverrides: [override], ...post })
  }
  return { ...world, account, pin }
}

t.test('Pinterest: the boards of the account are chosen from, and a pin is made on one', async (t) => {
  const { ada, account, pin, work, readDelivery, readStatus, pinterest } = await start(t)
  const options = (path: string) => ada.call('GET', `/accounts/${account}/options/${path}`)
  const { body: boards } = await options('boardId')
  const board = boards.data[1].value
  t.equal(boards.data[1].label, 'Harbours')
  const { body: sections } = await options(`boardSectionId?boardId=${BOARD}`)
  t.match(sections.data, [{ label: 'At dusk' }])
  t.hasStrict(await options('boardSectionId?boardId=99'), {
    status: 400,
    body: { error: 'pinterest: api.pinterest.com: Board not found.' },
  })

  const id = await pin('A harbour', { fields: { boardId: board, title: 'Harbour', link: 'https://example.com' } })
  await work()
  const [shown] = pinterest.pins
  t.hasStrict(shown, { board_id: board, title: 'Harbour', description: 'A harbour', link: 'https://example.com' })
  t.hasStrict(await readDelivery(id), {
    state: 'published',
    externalId: shown!.id,
    externalUrl: `https://www.pinterest.com/pin/${shown!.id}/`,
    error: null,
  })
  t.equal(await readStatus(id), 'published')
})

t.test('Pinterest: a carousel keeps its order', async (t) => {
  const { pin, work, readDelivery, pinterest } = await start(t)
  const files = [await jpeg(400, 300, 1), await jpeg(400, 300, 2), await jpeg(400, 300, 3)]
  const id = await pin('Three', { postType: 'carousel', files })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1 })
  t.same(pinterest.pins[0]!.images, files)
})

t.test('Pinterest: a video is uploaded, and no worker waits until it is processed', async (t) => {
  const { pin, work, readDelivery, pinterest } = await start(t)
  pinterest.processing = 2
  const id = await pin('A film', { postType: 'video', files: [FILM], fields: { coverTimestampSeconds: 1 } })
  await work()
  for (const pause of [5, 5, 10]) {
    t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 0, error: null })
    await work(pause * SECOND)
  }
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1 })
  t.ok([...pinterest.media.values()][0]!.bytes!.equals(FILM))
})

t.test('Pinterest: a pin that was created in spite of an error is found, and not sent again', async (t) => {
  const { pin, work, readDelivery, pinterest } = await start(t)
  const body = { code: 2787, message: 'Sorry! Something went wrong on our end.' }
  pinterest.faults.push({ on, after: true, instead: { status: 400, body } })
  const id = await pin('A lighthouse')
  await work()
  await work(30 * SECOND)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: pinterest.pins[0]!.id, error: null })
  t.equal(pinterest.pins.length, 1)
})

t.test('Pinterest: without Standard access the operator has to act, and a retry publishes', async (t) => {
  const { account, pin, work, readDelivery, readAccount, retry, pinterest } = await start(t)
  pinterest.isTrial = true
  const id = await pin('A lighthouse')
  await work()
  const { error, state } = await readDelivery(id)
  t.hasStrict({ state, error }, { state: 'failed', error: { code: 'app_not_approved', retryable: false } })
  const { attention } = await readAccount(account)
  t.equal(attention.code, 'app_not_approved')
  t.match(attention.message, /the operator of this service has to get Standard access/)
  pinterest.isTrial = false
  t.equal((await retry(id, account)).status, 202)
  await work()
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.notOk((await readAccount(account)).attention)
})
