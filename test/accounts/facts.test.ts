import t, { type Test } from 'tap'
import { renewFacts } from '../../src/features/accounts/renew-facts.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'

/** https://docs.gotosocial.org/en/latest/configuration/statuses/ */
const GOTOSOCIAL = {
  domain: 'mastodon.example',
  version: '0.20.0+git-0000000',
  source_url: 'https://codeberg.org/superseriousbusiness/gotosocial',
  configuration: {
    statuses: { max_characters: 500, max_media_attachments: 6, supported_mime_types: ['text/plain', 'text/markdown'] },
    media_attachments: {
      supported_mime_types: ['image/jpeg', 'image/png', 'video/mp4'],
      image_size_limit: 41_943_040,
      video_size_limit: 41_943_040,
      description_limit: 1500,
      description_minimum: 20,
    },
    polls: { max_options: 6, max_characters_per_option: 50, min_expiration: 300, max_expiration: 2_629_746 },
  },
}

/** An account on a server that states these limits. A worker may read them again. */
async function createServerWorld(t: Test, stated: object = GOTOSOCIAL) {
  const world = await createNetworkWorld(t)
  const { ada, mastodon, db, time, app, keyring, networks } = world
  const state = (body: object) =>
    void mastodon.faults.push({ on: 'GET /api/v2/instance', instead: { status: 200, body } })
  state(stated)
  const account = await world.connect('mastodon')
  const validate = async (post: object) => {
    const { body } = await ada.call('POST', '/posts/validate', {
      accountIds: [account],
      scheduledAt: '2100-01-01T00:00:00Z',
      caption: 'hi',
      ...post,
    })
    return body.violations.map(({ message }: { message: string }) => message)
  }
  const limits = async () => (await ada.call('GET', `/accounts/${account}/limits`)).body
  const deps = { db, networks, keyring, fetch: world.fetch, log: app.log, clock: () => time.now }
  const renew = () => renewFacts(deps, new AbortController().signal)
  return { ...world, account, state, validate, limits, renew }
}

t.test('a post is checked against the limits that the server of its account states', async (t) => {
  const { ada, validate, limits } = await createServerWorld(t)
  const files = (count: number, altText = 'A lighthouse, seen from the sea') =>
    Promise.all(Array.from({ length: count }, () => ada.media({ kind: 'image', altText })))
  t.strictSame(await validate({ mediaIds: await files(6) }), [])
  const name = 'mastodon (@alice@mastodon.example)'
  const where = 'on mastodon.example (GoToSocial)'
  t.strictSame(await validate({ mediaIds: await files(7) }), [
    `${name}: post has 7 media files, at most 6 are allowed ${where}`,
  ])
  const [short] = await files(1, 'A cat')
  t.strictSame(await validate({ mediaIds: [short] }), [
    `${name}: media ${short} has an alternative text of 5 characters, at least 20 are required ${where}`,
  ])
  t.strictSame(await validate({ caption: `${'b'.repeat(450)} https://www.example.com/${'a'.repeat(80)}` }), [
    `${name}: caption is 555 characters long, at most 500 are allowed ${where}`,
  ])
  const { server, postTypes, altTexts, fields } = await limits()
  t.strictSame(server, { host: 'mastodon.example', software: 'GoToSocial', version: '0.20.0+git-0000000' })
  const { caption, media } = postTypes.post
  t.match(
    { caption, media, altText: altTexts.image, types: fields.properties.contentType.enum },
    {
      caption: { max: 500, unit: 'code points', maxSource: null },
      media: { max: 6, mixed: true, source: { url: 'https://mastodon.example/api/v2/instance' } },
      altText: { min: 20, max: 1500 },
      types: ['text/plain', 'text/markdown'],
    },
  )
})

t.test('a worker reads the limits again after a day, and posts are checked against the new ones', async (t) => {
  const { ada, mastodon, account, state, renew, advance, limits } = await createServerWorld(t)
  const create = () => ada.call('POST', '/posts', { accountIds: [account], caption: 'a'.repeat(400) })
  t.equal((await create()).status, 201)
  const calls = mastodon.calls.length
  t.equal(await renew(), 0)
  advance(86_400_000 + 60_000)
  const { configuration } = GOTOSOCIAL
  state({ ...GOTOSOCIAL, configuration: { ...configuration, statuses: { max_characters: 300 } } })
  t.equal(await renew(), 1)
  t.equal(mastodon.calls.length - calls, 2)
  const { status, body } = await create()
  t.strictSame(
    [status, body.error],
    [
      400,
      'mastodon (@alice@mastodon.example): caption is 400 characters long, at most 300 are allowed on mastodon.example (GoToSocial)',
    ],
  )
  t.equal((await limits()).postTypes.post.media.max, 4, 'the network’s limit, where the server states none')
  t.equal(await renew(), 0, 'not twice')
})

t.test('a server that does not answer leaves the limits as they were', async (t) => {
  const { mastodon, renew, advance, limits } = await createServerWorld(t)
  const before = await limits()
  for (const status of [500, 503]) {
    advance(86_400_000 + 60_000)
    mastodon.faults.push({ on: 'GET /api/v2/instance', instead: { status, body: 'down' } })
    t.equal(await renew(), 1)
    t.strictSame(await limits(), before)
  }
})

t.test('a post whose account gets other limits between its check and its storage is checked again', async (t) => {
  const { ada, account, db } = await createServerWorld(t)
  const create = (fields: object) =>
    ada.call('POST', '/posts', {
      accountIds: [account],
      caption: 'hi',
      accountOverrides: [{ accountId: account, fields }],
    })
  const poll = { options: ['a', 'b', 'c', 'd', 'e', 'f'], expiresIn: 3600 }
  t.equal((await create({ poll })).status, 201)
  const { facts } = await db.selectFrom('accounts').select('facts').where('id', '=', account).executeTakeFirstOrThrow()
  const changed = JSON.stringify({ ...(facts as object), pollOptionsMax: 5 })
  await db.updateTable('accounts').set({ facts: changed }).where('id', '=', account).execute()
  t.match((await create({ poll })).body.error, /poll options has 6 items, at most 5 are allowed on mastodon.example/)
})

t.test('default fields are checked against the limits of the account, not of its network', async (t) => {
  const { ada, account } = await createServerWorld(t)
  const set = async (defaultFields: object) => {
    const { status, body } = await ada.call('PATCH', `/accounts/${account}`, { defaultFields })
    return status === 200 ? body.defaultFields : [status, body.error]
  }
  const poll = (count: number) => ({
    poll: { options: Array.from({ length: count }, (_, index) => `Option ${index}`), expiresIn: 3600 },
  })
  t.strictSame(await set(poll(6)), poll(6), 'Mastodon takes four options')
  t.strictSame(await set(poll(7)), [
    400,
    'mastodon (@alice@mastodon.example): field poll options has 7 items, at most 6 are allowed on mastodon.example (GoToSocial)',
  ])
})

t.test('a fork of Mastodon states that a post may have a poll and files', async (t) => {
  for (const allowed of [true, false]) {
    const { ada, account, validate } = await createServerWorld(t, {
      version: '4.6.0+glitch',
      source_url: 'https://github.com/glitch-soc/mastodon',
      configuration: {
        statuses: { max_characters: 5000, max_media_attachments: 4, supported_mime_types: ['text/markdown'] },
        polls: { allow_media: allowed, max_options: 5, max_characters_per_option: 100 },
      },
    })
    const poll = { options: ['a', 'b', 'c', 'd', 'e'], expiresIn: 3600 }
    const found = await validate({
      caption: 'a'.repeat(5000),
      mediaIds: [await ada.media({ kind: 'image' })],
      accountOverrides: [{ accountId: account, fields: { poll, contentType: 'text/markdown' } }],
    })
    t.strictSame(
      found.map((message: string) => message.replace(/^.*?: /, '')),
      allowed ? [] : ['field poll cannot be combined with media on mastodon.example (glitch-soc)'],
    )
  }
})
