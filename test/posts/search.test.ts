import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { firstIdAt } from '../../db/id.ts'
import { indexDuePosts, WORDS_BATCH_MAX } from '../../db/queries/posts/words.ts'
import type { Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { storedWords } from '../../src/features/posts/words.ts'
import { call, createWorld, type Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { numberEvents } from '../helpers/events.ts'

/** Stores the words of all posts, as a worker does. */
async function indexPosts(db: Db): Promise<void> {
  await numberEvents(db)
  while ((await indexDuePosts(db, storedWords)) > 0);
}

/** The captions that a search returns, of all its pages. */
async function search(person: Person, q: string, query = ''): Promise<string[]> {
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await person.call('GET', `/posts?q=${encodeURIComponent(q)}${query}${cursor}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    found.push(...body.data.map(({ caption }: { caption: string }) => caption))
    if (body.nextCursor === null) return found
    cursor = `&cursor=${body.nextCursor}`
  }
}

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = repeating(await world.user())
  const account = await ada.account('sandbox')
  const post = async (caption: string, more: object = {}) => {
    const { status, body } = await ada.call('POST', '/posts', { accountIds: [account], caption, ...more })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body.id as string
  }
  return { ...world, ada, account, post }
}

t.test('a search finds words in any order, case, accents and script, and no parts of words', async (t) => {
  const { db, ada, post } = await createScene(t)
  const captions = [
    'The harbour opens on Monday: bring CAKE, and boats!',
    'Ein Café in der Straße, 50 % off_season',
    '東京タワーの夜景がきれいです',
    '서울에서 만나요',
    'Launch 🚀 day 👩‍🚀 🇩🇪',
    'ＦＵＬＬ width i̇stanbul',
  ]
  for (const caption of captions) await post(caption)
  await indexPosts(db)
  const expected: [q: string, ...found: number[]][] = [
    ['harbour', 0],
    ['cake HARBOUR', 0],
    ['#Harbour, on', 0],
    ['harb'],
    ['harbour tokyo'],
    ['cafe', 1],
    ['CAFÉ STRASSE', 1],
    ['straße', 1],
    ['strase'],
    ['season', 1],
    ['50', 1],
    ['東京', 2],
    ['夜', 2],
    ['京東'],
    ['東京 夜景', 2],
    ['タワー', 2],
    ['서울', 3],
    ['🚀', 4],
    ['👩 launch', 4],
    ['🇩🇪', 4],
    ['full', 5],
    ['İstanbul', 5],
    ['%harbour%', 0],
    ['har_our'],
    ["' or true --"],
    ['harbour*', 0],
  ]
  const problems: unknown[] = []
  for (const [q, ...numbers] of expected) {
    const found = await search(ada, q)
    const wanted = numbers.map((number) => captions[number])
    if (JSON.stringify(found) !== JSON.stringify(wanted)) problems.push({ q, found, wanted })
  }
  t.strictSame(problems, [])
})

t.test('a search finds letters as they are written with and without their marks', async (t) => {
  const { db, ada, post } = await createScene(t)
  const expected: [caption: string, ...queries: string[]][] = [
    ['Straße nach Gießen', 'strasse', 'STRASSE', 'giessen', 'STRAẞE', 'ſtraße'],
    ['Łódź żółw', 'lodz', 'ŁÓDŹ', 'zolw', 'łódź'],
    ['Ørsted Æble Đuro Þór œuvre', 'orsted', 'ØRSTED', 'aeble', 'duro', 'thor', 'OEUVRE'],
    ['Iğdır ılık İzmir', 'ıgdır', 'ILIK', 'ilik', 'izmir', 'IĞDIR'],
    ['Việt Nam ấn tượng', 'viet', 'an tuong', 'VIỆT'],
    ['ΟΔΟΣ Λόγος ᾳ', 'οδος', 'οδοσ', 'ΛΟΓΟΣ', 'λογος', 'α'],
    ['Ёлка йод', 'елка', 'ЁЛКА', 'иод'],
    ['مَرْحَبًا بـــكم أهلا ٱلله', 'مرحبا', 'بكم', 'اهلا', 'الله'],
    ['שָׁלוֹם עוֹלָם', 'שלום', 'עולם', 'שָׁלוֹם'],
    ['ܫܠܳܡܐ', 'ܫܠܡܐ'],
    ['फ़िल्म क़ीमत', 'फिल्म', 'क़ीमत', 'कीमत'],
    ['Kran\u00adken\u00adhaus foo\u200bbar a\u2060b', 'krankenhaus', 'foobar', 'kranken\u200bhaus', 'ab'],
    ['می\u200cخواهم', 'میخواهم', 'می\u200cخواهم'],
    ['❤️ 1️⃣ 🏴', '❤', '❤\ufe0f', '1', '🏴'],
    ['ﬁne ŉ ＷＩＤＥ', 'fine', 'FINE', 'wide'],
    ['がぎ', 'が', 'か\u3099'],
  ]
  for (const [caption] of expected) await post(caption)
  await indexPosts(db)
  const problems: unknown[] = []
  for (const [caption, ...queries] of expected) {
    for (const q of [caption, ...queries]) {
      const found = await search(ada, q)
      if (!found.includes(caption)) problems.push({ q, found })
    }
  }
  t.strictSame(problems, [])
  for (const q of ['straßen', 'か', 'फल्म', 'कया', 'gießenn', 'odz']) t.strictSame(await search(ada, q), [], q)
})

t.test('the words of an earlier version are written again, the newest posts first', async (t) => {
  const { db, ada } = await createScene(t)
  const ids = Array.from({ length: 450 }, (_, index) => firstIdAt(new Date(Date.UTC(2020, 0, 1 + index))))
  const post = { userId: ada.id, postType: 'post', status: 'draft', caption: 'Straße' }
  await db
    .insertInto('posts')
    .values(ids.map((id) => ({ ...post, id })))
    .execute()
  const span = sql`user_id || ':' || left(id::text, 5)`
  const writeEarlier = (id: string) =>
    sql`insert into post_words (user_id, post_id, words) select user_id, id, array[${span}, 'straße'] from posts where id = ${id}
      on conflict (user_id, post_id) do update set words = excluded.words`.execute(db)
  for (const id of ids) await writeEarlier(id)
  t.equal((await search(ada, 'strasse')).length, 0)
  t.equal(await indexDuePosts(db, storedWords), WORDS_BATCH_MAX)
  // A piece also ends after its time.
  const count = (await search(ada, 'strasse', '&limit=100')).length
  t.ok(count > 0 && count <= WORDS_BATCH_MAX, `in pieces: ${count}`)
  const newest = (await ada.call('GET', '/posts?q=strasse&limit=1')).body.data[0]
  t.equal(newest.id, ids.at(-1))
  await indexPosts(db)
  t.equal((await search(ada, 'strasse', '&limit=100')).length, ids.length)
  t.equal(await indexDuePosts(db, storedWords), 0)

  // A worker of the version before, which still runs, writes words by its own rule.
  await writeEarlier(ids[0]!)
  await indexPosts(db)
  t.equal((await search(ada, 'STRASSE', '&limit=100')).length, ids.length)
})

t.test('a search looks into references, captions and threads of single accounts, and follows changes', async (t) => {
  const { db, ada, account, post } = await createScene(t)
  const id = await post('plain', {
    externalReference: 'order-4711',
    accountOverrides: [{ accountId: account, captionOverride: 'overridden' }],
  })
  await post('thread', { postType: 'thread', threadParts: { [account]: ['first line\nnext', 'second'] } })
  t.strictSame(await search(ada, 'plain'), [], 'a worker has not seen it')
  await indexPosts(db)
  for (const q of ['4711', 'overridden', 'order plain']) t.strictSame(await search(ada, q), ['plain'], q)
  for (const q of ['second', 'next first']) t.strictSame(await search(ada, q), ['thread'], q)
  await ada.call('PATCH', `/posts/${id}`, { caption: 'changed', externalReference: null })
  await indexPosts(db)
  t.strictSame(await search(ada, '4711'), [])
  t.strictSame(await search(ada, 'changed'), ['changed'])
  await ada.call('DELETE', `/posts/${id}`)
  t.strictSame(await search(ada, 'changed'), [])
  await indexPosts(db)
})

t.test('a search stays within filters, the user, the organisation and the accounts of the key', async (t) => {
  const { app, db, ada, account, post, user, organization, promote } = await createScene(t)
  const bob = repeating(await user())
  const organizationId = await organization(ada, bob)
  await promote(organizationId, bob)
  const shared = await ada.account('x', { organizationId })
  await post('word own', { scheduledAt: '2100-01-01T00:00:00Z' })
  await post('word shared', { accountIds: [shared] })
  await bob.call('POST', '/posts', { accountIds: [await bob.account()], caption: 'word of bob' })
  await indexPosts(db)
  t.strictSame(await search(ada, 'word'), ['word shared', 'word own'])
  t.strictSame(await search(ada, 'word', '&order=asc'), ['word own', 'word shared'])
  t.strictSame(await search(ada, 'word', '&status=draft'), ['word shared'])
  t.strictSame(await search(ada, 'word', '&platform=sandbox'), ['word own'])
  t.strictSame(await search(ada, 'word', '&scheduledFrom=2099-01-01T00:00:00Z'), ['word own'])
  t.strictSame(await search(bob, 'word'), ['word of bob'])
  t.strictSame(await search(bob, 'word', `&organizationId=${organizationId}`), ['word shared'])
  const counted = await ada.call('GET', '/posts/counts?by=status&q=word')
  t.strictSame(counted.body.data, [
    { value: 'draft', count: 1 },
    { value: 'scheduled', count: 1 },
  ])
  const scopes: Scope[] = ['posts:read']
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes, accountIds: [account] })
  t.strictSame(await search({ ...ada, call: (...request) => call(app, key, ...request) }, 'word'), ['word own'])
})

t.test('pages of a search are in the order of the list, whatever the span of their posts', async (t) => {
  const { db, ada } = await createScene(t)
  // A week between two posts, in another order than that of their creation. Two of three have the word.
  const ranks = Array.from({ length: 400 }, (_, index) => (index * 37) % 400)
  await db
    .insertInto('posts')
    .values(
      ranks.map((rank) => ({
        userId: ada.id,
        postType: 'post',
        status: 'draft',
        id: firstIdAt(new Date(Date.UTC(2020, 0, 1 + 7 * rank))),
        caption: rank % 3 === 0 ? `${rank}` : `rare ${rank}`,
      })),
    )
    .execute()
  await sql`insert into post_words_due (user_id, post_id) select user_id, id from posts`.execute(db)
  await indexPosts(db)
  const rare = ranks.toSorted((a, b) => a - b).filter((rank) => rank % 3 !== 0)
  const ascending = rare.map((rank) => `rare ${rank}`)
  t.strictSame(await search(ada, 'rare', '&order=asc&limit=7'), ascending)
  t.strictSame(await search(ada, 'rare', '&limit=100'), ascending.toReversed())
  t.strictSame(await search(ada, '1', '&limit=1'), ['rare 1'], 'past more posts than a page looks at')
  t.strictSame(await search(ada, 'rare', '&createdBefore=2020-01-10T00:00:00Z&order=asc'), [])
})

t.test('a search without a word, or with a long text, is rejected', async (t) => {
  const { ada } = await createScene(t)
  for (const q of ['%', ' ', '...', '"\'\\']) {
    const { status, body } = await ada.call('GET', `/posts?q=${encodeURIComponent(q)}`)
    t.strictSame(
      [status, body.details],
      [400, [{ code: 'custom', path: ['q'], message: 'Has no letter, digit or emoji to search for' }]],
    )
  }
  for (const q of ['', 'a'.repeat(201)]) t.equal((await ada.call('GET', `/posts?q=${q}`)).status, 400)
  t.equal((await ada.call('GET', `/posts?q=${'a'.repeat(200)}`)).status, 200)
})

t.test('texts that take long to read are left to the next transaction', async (t) => {
  const { db, post } = await createScene(t)
  for (let count = 0; count < 5; count++) await post(`slow ${count}`)
  await numberEvents(db)
  const read: string[] = []
  const slowly: typeof storedWords = (due) => {
    for (const endsAt = performance.now() + 60; performance.now() < endsAt; );
    read.push(due.postId)
    return storedWords(due)
  }
  await indexDuePosts(db, slowly)
  t.ok(read.length > 0 && read.length < 5, `${read.length} of 5`)
  while ((await indexDuePosts(db, slowly)) > 0);
  t.equal(new Set(read).size, 5)
  t.equal(read.length, 5, 'each once')
})

t.test('the words of a hostile post are bounded', (t) => {
  const post = { userId: 'a', postId: '0196f0b281d4' }
  const many = Array.from({ length: 100_000 }, (_, index) => `word${index}`).join(' ')
  t.equal(storedWords({ ...post, texts: [many] }).length, 5_001)
  t.strictSame(storedWords({ ...post, texts: ['💥'.repeat(2), '𝒳'.repeat(100_000), '\ud800 \u0000'] }), [
    'a:0196f',
    '💥',
    'x'.repeat(64),
  ])
  t.end()
})

t.test('a transaction takes the texts of a few posts at a time, which may be long', async (t) => {
  const { db, post } = await createScene(t)
  for (let count = 0; count < 12; count++) await post(`long ${count}`)
  await numberEvents(db)
  const listDue = async () => (await db.selectFrom('postWordsDue').select('seq').execute()).map(({ seq }) => seq)
  const due = await listDue()
  t.equal(due.length, 12)
  const slowly: typeof storedWords = (due) => {
    for (const endsAt = performance.now() + 120; performance.now() < endsAt; );
    return storedWords(due)
  }
  await indexDuePosts(db, slowly)
  const left = await listDue()
  t.equal(left.length, 11, 'its time was over after the first')
  t.equal(left.filter((seq) => due.includes(seq)).length, 2, 'it has not looked at these')
  while ((await indexDuePosts(db, storedWords)) > 0);
  t.strictSame(await listDue(), [])
})
