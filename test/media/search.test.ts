import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { Db } from '../../db/client.ts'
import { addSearchTexts } from '../../src/features/media/search-texts.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const search = async (person: Person, q: string, query = '') => {
  const { status, body } = await person.call('GET', `/media?q=${encodeURIComponent(q)}${query}`)
  return { status, ids: body.data?.map(({ id }: { id: string }) => id), nextCursor: body.nextCursor }
}

/** Does what a sweep does for the files of an earlier version. */
const addTexts = (db: Db) => addSearchTexts(db, { limit: 2, run: (work) => work(), isOver: () => false })

t.test('a user finds files by parts of their names, alternative texts and references', async (t) => {
  const { db, user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const add = (facts: object) => ada.media(facts)
  const tower = await add({ fileName: 'Lighthouse_100%.JPG', altText: 'Ein Leuchtturm über Łódź' })
  const lamp = await add({ fileName: 'lamp.png', altText: null })
  await db.updateTable('media').set({ externalReference: 'crm-77' }).where('id', '=', lamp).execute()
  await bob.media({ fileName: 'Lighthouse.jpg' })
  t.strictSame((await search(ada, 'light')).ids, [tower], 'the file of an earlier version')
  t.equal(await addTexts(db), 3)
  t.equal(await addTexts(db), 0)
  for (const [q, ids] of [
    ['light', [tower]],
    ['LEUCHTTURM jpg', [tower]],
    ['ÜBER łódź', [tower]],
    ['LODZ uber', [tower]],
    ['łó\u00addz', [tower]],
    ['crm-7', [lamp]],
    ['l', [lamp, tower]],
    ['lamp leuchtturm', []],
    ['0%', [tower]],
    ['l%g', []],
    ['l_g', []],
    [randomUUID(), []],
  ] as const) {
    t.strictSame(await search(ada, q), { status: 200, ids, nextCursor: null }, q)
  }
  const first = await search(ada, 'l', '&limit=1')
  t.strictSame(first, { status: 200, ids: [lamp], nextCursor: lamp })
  t.strictSame((await search(ada, 'l', `&limit=1&cursor=${lamp}`)).ids, [tower])
  for (const [q, query] of [[' '], [''], ['\u00ad'], ['a\0'], ['a'.repeat(201)], ['a', '&offset=1']] as const) {
    t.equal((await search(ada, q, query)).status, 400, JSON.stringify([q, query]))
  }
})

t.test('a search follows a new file and its new alternative text', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const parts: [string, string | Buffer][] = [
    ['altText', 'Straße am Øresund'],
    ['file', await jpeg()],
  ]
  const { body: file } = await upload(app, ada, parts as never)
  t.strictSame((await search(ada, 'STRASSE oresund')).ids, [file.id])
  await ada.call('PATCH', `/media/${file.id}`, { altText: 'שָׁלוֹם' })
  t.strictSame((await search(ada, 'שלום')).ids, [file.id])
  t.strictSame((await search(ada, 'strasse')).ids, [])
  // As the previous version does.
  await db.updateTable('media').set({ altText: 'Ærø' }).where('id', '=', file.id).execute()
  t.equal(await addTexts(db), 1)
  t.strictSame((await search(ada, 'aero')).ids, [file.id])
})

t.test('an admin searches the files of an organisation', async (t) => {
  const { user, organization, promote } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const organizationId = await organization(ada, bob)
  await promote(organizationId, ada)
  const accountIds = [await bob.account('bluesky', { organizationId })]
  const [lamp, tower] = [await bob.media({ fileName: 'lamp.png' }), await bob.media({ fileName: 'tower.png' })]
  await bob.call('POST', '/posts', { accountIds, caption: 'hi', mediaIds: [lamp, tower] })
  t.strictSame((await search(ada, 'lamp', `&organizationId=${organizationId}`)).ids, [lamp])
})
