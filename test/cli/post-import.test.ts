import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createProgress } from '../../src/cli/actions/import/progress.ts'
import { createWorld } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'
import { repeating } from '../helpers/connect-oauth.ts'

interface Post {
  id: string
  caption: string
  externalReference: string
  scheduledAt: string | null
}

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = repeating(await world.user())
  const account = await ada.account('x')
  const folder = mkdtempSync(join(tmpdir(), 'postroom-import-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const write = (text: string | Buffer, name = 'posts.csv') => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const run = async (path: string, ...options: string[]) => {
    const args = ['post', 'import', path, '--user', ada.id, '--json', ...options]
    const { code, stdout, stderr } = await postroom(args, { DATABASE_URL: world.databaseUrl })
    return { code, stderr, summary: stdout && JSON.parse(stdout) }
  }
  const posts = async (): Promise<Post[]> => (await ada.call('GET', '/posts?limit=100')).body.data.toReversed()
  return { ...world, ada, account, folder, write, run, posts }
}

const counts = ({ rows, created, existing, refused }: Record<string, number>) => [rows, created, existing, refused]

t.test('each row becomes a post, with times in named zones', async (t) => {
  const { ada, account, write, run, posts } = await createScene(t)
  const other = await ada.account('bluesky')
  const media = await ada.media()
  const path = write(
    [
      '\ufeffexternalReference;accountIds;caption;scheduledAt;timeZone;mediaIds;metadata;accountOverrides',
      `row-1;${account};"One; with ""quotes""\nand two lines";2999-01-15 09:30;;;;`,
      `row-2;${account} ${other};Zwei;2999-07-15T09:30:00;Asia/Kathmandu;${media};"{""sheet"":""May""}";"[{""accountId"":""${other}"",""captionOverride"":""Deux""}]"`,
      `row-3;"${account},${other}";Three;2999-01-15T09:30:00+02:00;;;;`,
      '',
      `row-4;${account};;;;;;`,
    ].join('\r\n'),
  )
  const { code, stderr, summary } = await run(path, '--time-zone', 'Europe/Berlin')
  t.strictSame([code, stderr, counts(summary), summary.refusedFile], [0, '', [4, 4, 0, 0], null])
  t.strictSame([summary.scheduled, summary.drafts, summary.refusals], [3, 1, []])
  t.match(summary.warnings, [/@ada.*not connected|has no credentials/i])
  const stored = await posts()
  t.strictSame(
    stored.map(({ externalReference, caption, scheduledAt }) => [externalReference, caption, scheduledAt]),
    [
      ['row-1', 'One; with "quotes"\nand two lines', '2999-01-15T08:30:00.000Z'],
      ['row-2', 'Zwei', '2999-07-15T03:45:00.000Z'],
      ['row-3', 'Three', '2999-01-15T07:30:00.000Z'],
      ['row-4', '', null],
    ],
  )
  const { body } = await ada.call('GET', `/posts/${stored[1]!.id}`)
  t.match(body, {
    metadata: { sheet: 'May' },
    mediaIds: [media],
    targets: [
      { accountId: account, captionOverride: null },
      { accountId: other, captionOverride: 'Deux' },
    ],
  })
})

t.test('columns of an account have its time and its files, beside its override', async (t) => {
  const { ada, account, write, run, posts } = await createScene(t)
  const other = await ada.account('bluesky')
  const [shared, own] = [await ada.media(), await ada.media()]
  const override = JSON.stringify([{ accountId: other, captionOverride: 'Deux' }]).replaceAll('"', '""')
  const ownTime = JSON.stringify([{ accountId: other, scheduledAt: '2999-01-16T09:30:00Z' }]).replaceAll('"', '""')
  const ids = `"${account} ${other}"`
  const path = write(
    [
      `externalReference;accountIds;mediaIds;scheduledAt;accountOverrides;scheduledAt@${other};mediaIds@${other};mediaFit`,
      `row-1;${ids};${shared};2999-01-15 09:30;"${override}";2999-01-16 09:30;${own} ${shared};`,
      `row-2;${ids};${shared};2999-01-15 09:30;;;;auto`,
      `row-3;${ids};;2999-01-15T09:30:00Z;"${ownTime}";2999-01-16T09:30:00Z;;`,
      `row-4;${account};;2999-01-15T09:30:00Z;;2999-01-16T09:30:00Z;;`,
      `row-5;${ids};;2999-01-15T09:30:00Z;;2020-01-16T09:30:00Z;;`,
      `row-6;${ids};;;;2999-01-16T09:30:00Z;;`,
      `row-7;${account};;2999-01-15T09:30:00Z;;;${own};`,
      `row-8;${ids};;2999-01-15 09:30;"${override}";2999-13-16 09:30;;`,
    ].join('\n'),
  )
  const { code, summary } = await run(path, '--time-zone', 'Europe/Berlin')
  t.strictSame([code, counts(summary)], [1, [8, 2, 0, 6]])
  t.match(
    summary.refusals.map(({ reason }: { reason: string }) => reason),
    [
      `scheduledAt@${other}: accountOverrides has scheduledAt for this account too, leave out one of them`,
      `scheduledAt@${other}: Not one of the accountIds of this post`,
      'scheduledAt is in the past, or that of an account',
      `scheduledAt@${other}: Must come with scheduledAt of the post: a draft has no times`,
      `mediaIds@${other}: Not one of the accountIds of this post`,
      `scheduledAt@${other}: Invalid datetime: month 13 does not exist`,
    ],
  )
  const created = []
  for (const { id } of await posts()) created.push((await ada.call('GET', `/posts/${id}`)).body)
  t.match(created, [
    { targets: [{}, { captionOverride: 'Deux', scheduledAt: '2999-01-16T08:30:00.000Z', mediaIds: [own, shared] }] },
    { mediaFit: 'auto', targets: [{}, { captionOverride: null, scheduledAt: null, mediaIds: null }] },
  ])
})

t.test('a repeated import creates nothing twice, at the same time or days later', async (t) => {
  const { db, account, write, run, posts } = await createScene(t)
  const row = (number: number, caption = 'hi') => `row-${number},${account},${caption} ${number},2999-01-15T09:30:00Z`
  const file = (numbers: number[], caption?: string) =>
    ['externalReference,accountIds,caption,scheduledAt', ...numbers.map((number) => row(number, caption))].join('\n')
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  const path = write(file(numbers(80)))
  const both = await Promise.all([run(path), run(path)])
  t.strictSame(
    both.map(({ code }) => code),
    [0, 0],
  )
  t.strictSame(
    both.reduce((sum, { summary }) => sum + summary.created, 0),
    80,
  )
  t.equal((await posts()).length, 80)

  // Nothing that expires after a day tells what was imported, and neither does the content.
  await db.deleteFrom('idempotencyKeys').execute()
  await db
    .updateTable('posts')
    .set({ createdAt: new Date(0), scheduledAt: new Date(0) })
    .execute()
  const longer = write(file(numbers(150), 'changed'))
  const dry = await run(longer, '--dry-run')
  t.strictSame([dry.code, counts(dry.summary)], [0, [150, 70, 80, 0]])
  t.equal((await posts()).length, 80, 'a dry run stores nothing')
  t.strictSame(counts((await run(longer)).summary), [150, 70, 80, 0])
  const references = await db.selectFrom('posts').select('externalReference').execute()
  t.strictSame([references.length, new Set(references.map((each) => each.externalReference)).size], [150, 150])
})

t.test('refused rows are written to a file with their reasons, which can be corrected and imported', async (t) => {
  const { account, folder, write, run, posts } = await createScene(t)
  const long = 'a'.repeat(400)
  const unknown = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'
  const header = 'externalReference,accountIds,caption,scheduledAt,metadata'
  const refused: [row: string, reason: RegExp][] = [
    [`b,${account},${long},,`, /x \(@ada\): caption is 400 characters long/],
    [`c,${unknown},hi,,`, /no access to these accountIds: 0196f0c4/],
    [`d,${account},hi,2999-01-15 09:30,`, /scheduledAt has no time zone/],
    [`e,${account},hi,2020-01-15T09:30:00Z,`, /scheduledAt is in the past/],
    [`f,${account},hi,15.01.2999,`, /scheduledAt: Invalid datetime/],
    [`g,,hi,,`, /accountIds is empty/],
    [`,${account},hi,,`, /externalReference is empty/],
    [`h,${account},hi,,{]`, /metadata: not valid JSON/],
    [`i,${account},hi,,"{""a"":1}"`, /metadata\.a: Expected string/],
    [`a,${account},again,,`, /externalReference is that of row 2 too/],
  ]
  const path = write([header, `a,${account},first,,`, ...refused.map(([row]) => row), `z,${account},last,,`].join('\n'))
  const dry = await run(path, '--dry-run', '--refused', join(folder, 'dry.csv'))
  const { code, summary } = await run(path)
  t.strictSame([code, counts(summary), summary.refusedFile], [1, [12, 2, 0, 10], join(folder, 'posts.refused.csv')])
  t.strictSame([dry.code, counts(dry.summary)], [code, counts(summary)], 'the dry run has said so')
  const reasons = refused.map(([, reason], index) => ({ row: index + 3, reason }))
  t.match(summary.refusals, reasons)
  t.equal(summary.refusals.length, refused.length)
  t.strictSame(dry.summary.refusals, summary.refusals)
  const text = readFileSync(summary.refusedFile, 'utf8')
  t.equal(readFileSync(join(folder, 'dry.csv'), 'utf8'), text)
  const [first, ...lines] = text.trimEnd().split('\r\n')
  t.equal(first, `${header},error`)
  for (const [index, [row, reason]] of refused.entries()) {
    t.ok(lines[index]!.startsWith(row), row)
    t.match(lines[index], reason)
  }
  t.strictSame(
    (await posts()).map(({ caption }) => caption),
    ['first', 'last'],
  )

  const wanted = text.split('\r\n').filter((line) => /^(?:externalReference|b),/.test(line))
  const corrected = write(wanted.join('\r\n').replace(long, 'short'), 'corrected.csv')
  t.strictSame(counts((await run(corrected)).summary), [1, 1, 0, 0], 'with the column of the reasons')
})

t.test('the summary tells scheduled posts from drafts, and the help says when a row becomes one', async (t) => {
  const { ada, account, databaseUrl, write } = await createScene(t)
  const rows = [`a,${account},hi,`, `b,${account},hi,2999-01-15T09:30:00Z`, `c,${account},hi,2999-01-15T09:30:00Z`]
  const path = write(['externalReference,accountIds,caption,scheduledAt', ...rows].join('\n'))
  const args = ['post', 'import', path, '--user', ada.id]
  const created = '(2 scheduled, 1 without scheduledAt as a draft), 0 exist already, 0 refused'
  const dry = await postroom([...args, '--dry-run'], { DATABASE_URL: databaseUrl })
  t.ok(dry.stdout.startsWith(`3 rows: 3 would be created ${created}`), dry.stdout)
  const { stdout } = await postroom(args, { DATABASE_URL: databaseUrl })
  t.ok(stdout.startsWith(`3 rows: 3 created ${created}`), stdout)
  const help = (await postroom(['post', 'import', '--help'], {})).stdout.replace(/\s+/g, ' ')
  t.match(
    help,
    /externalReference and accountIds are required in every row\. A row without scheduledAt becomes a draft\./,
  )
})

t.test('a warning names its rows, and says how many more there are', async (t) => {
  const { ada, account, write, run } = await createScene(t)
  const other = await ada.account('bluesky')
  const rows = Array.from({ length: 30 }, (_, index) => `row-${index},${account} ${other},hi ${index}`)
  const header = 'externalReference,accountIds,caption,metadata,accountOverrides'
  const fields = (index: number) => JSON.stringify([{ accountId: account, fields: { [`key${index}`]: 1 } }])
  const quoted = rows.map((row, index) => `${row},,"${fields(index).replaceAll('"', '""')}"`)
  const { summary } = await run(write([header, ...quoted].join('\n')))
  const { warnings } = summary as { warnings: string[] }
  t.equal(warnings.length, 21)
  t.ok(warnings.some((warning) => /^rows 2, 3, 4, 5, 6 and 25 more: .*no credentials/.test(warning)))
  t.ok(warnings.some((warning) => /^row \d+: .*key\d+/.test(warning)))
  t.match(warnings.at(-1), /^12 more: import fewer rows with --dry-run to see them$/)
})

t.test('a file is read as Excel saves it, and refused rows are written in the same form', async (t) => {
  const { account, write, run, posts, folder } = await createScene(t)
  const rows = (delimiter: string) =>
    [
      ['externalReference', 'accountIds', 'caption'],
      ['a', account, 'Höhe, 漢; x'],
      ['', account, ''],
    ].map((cells) => cells.map((cell) => `"${cell}"`).join(delimiter))
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  const forms: Record<string, string | Buffer> = {
    semicolons: rows(';').join('\r\n'),
    'sep=;': ['sep=;', ...rows(';')].join('\r\n'),
    '"sep=|" after a byte order mark': ['\ufeff"sep=|"', ...rows('|')].join('\n'),
    'SEP=TAB': ['SEP=\t', ...rows('\t')].join('\r\n'),
    'line ends of old Macs': rows(',').join('\r'),
    'several line ends': `${rows(',').join('\r\n')}\n`.replace('\r\n', '\n'),
    'empty lines before the names': ['', '', ...rows(';')].join('\r\n'),
    'columns without names and values': rows(',')
      .map((row) => `${row},,`)
      .join('\r\n'),
    'rows without values': [...rows(','), ',,', ' ,,', ',,'].join('\r\n'),
    'UTF-16 LE': utf16(['\ufeff', rows('\t').join('\r\n')].join('')),
    'UTF-16 LE without a byte order mark': utf16(rows('\t').join('\r\n').replaceAll('"', '')),
    'UTF-16 BE': utf16(['\ufeff', rows('\t').join('\r\n')].join('')).swap16(),
  }
  const problems: string[] = []
  for (const [index, [name, content]] of Object.entries(forms).entries()) {
    const own = (text: string) => text.replace(/(?<="|^|\n)a(?="|\t)/, `ref-${index}`)
    const own16 = (bytes: Buffer) => {
      const isBig = bytes[0] === 0xfe
      const text = own((isBig ? Buffer.from(bytes).swap16() : bytes).toString('utf16le'))
      return isBig ? utf16(text).swap16() : utf16(text)
    }
    const path = write(typeof content === 'string' ? own(content) : own16(content), `${index}.csv`)
    const { code, stderr, summary } = await run(path)
    const created = (await posts()).at(-1)
    const seen = JSON.stringify([
      code,
      stderr,
      summary && counts(summary),
      created?.externalReference,
      created?.caption,
    ])
    const wanted = JSON.stringify([1, '', [2, 1, 0, 1], `ref-${index}`, 'Höhe, 漢; x'])
    if (seen !== wanted) problems.push(`${name}: ${seen}`)
    const refused = join(folder, `${index}.refused.csv`)
    const again = await run(refused, '--refused', join(folder, 'again.csv'))
    if (again.code !== 1 || again.summary.refused !== 1) problems.push(`${name}, refused rows: ${again.stderr}`)
    const start = (file: string) => readFileSync(file).subarray(0, 2).toString('hex')
    if (typeof content !== 'string' && !name.includes('without') && start(refused) !== start(path)) problems.push(name)
  }
  t.strictSame(problems, [])
})

t.test('a file that is no such table is refused as a whole', async (t) => {
  const { account, write, run, posts, folder } = await createScene(t)
  const row = `a,${account}`
  const cases: [content: string | Buffer, message: RegExp][] = [
    [`externalReference,accountIds,Caption\n${row},hi`, /unknown columns: Caption\. Known are accountIds, caption, /],
    [`accountIds,caption\n${account},hi`, /lacks the columns externalReference/],
    [`externalReference,accountIds,accountIds\n${row},${account}`, /has the column accountIds twice/],
    [`externalReference,accountIds\n${row},more`, /is not a valid CSV file: .*line 2/],
    [`externalReference,accountIds\n"${row}`, /is not a valid CSV file/],
    [Buffer.from(`externalReference,accountIds\n${row}\xff`, 'latin1'), /is not valid UTF-8/],
    [
      Buffer.from(`externalReference,accountIds\n${row}\nb\xe9,${account}\n`, 'latin1'),
      /posts\.csv, line 3, is not valid UTF-8/,
    ],
    ['', /posts\.csv, line 1, lacks the columns externalReference, accountIds/],
    [
      `sep=;\nexternalReference;accountIds;Caption\na;${account};hi`,
      /posts\.csv, line 2, has unknown columns: Caption/,
    ],
    [`sep=;\nexternalReference;accountIds\n\na;${account};more`, /not a valid CSV file: .*line 4/],
    [`sep=;;\nexternalReference;;accountIds`, /posts\.csv, line 1: "sep=;;" has to name one character/],
    [`externalReference,accountIds\na,"${account}"x\n`, /not a valid CSV file: .*line 2.* inside of it twice/],
    [`externalReference,accountIds,caption\n${row},6" nails`, /line 2.*Put double quotes around the cell/],
    [`externalReference,accountIds,caption\n${row},"hi`, /Put double quotes around the cell/],
    [`externalReference,accountIds\n${row},more`, /line 2\. Every row has as many cells as the first/],
    [`externalReference,accountIds,\n${row},more`, /line 1, has no name for column 3, which has values/],
    [`externalReference,accountIds${',a'.repeat(500)}`, /unknown columns: a(?:, a){19} and 480 more\. Known are/],
  ]
  for (const [content, message] of cases) {
    const { code, stderr } = await run(write(content))
    t.equal(code, 1)
    t.match(stderr, message)
  }
  t.match(await run(join(folder, 'missing.csv')), { code: 1, stderr: /missing\.csv cannot be read \(ENOENT\)/ })
  const path = write(`externalReference,accountIds\n${row}`)
  t.match(await run(path, '--refused', path), { code: 1, stderr: /--refused names the file itself/ })
  t.match(await run(path, '--user', 'nobody'), { code: 1, stderr: /There is no user with this id/ })
  t.strictSame(await posts(), [])
})

t.test('rows without their last delimiters are read, and those with too many empty cells', async (t) => {
  const { account, write, run, posts } = await createScene(t)
  const rows = [
    `a,${account}`,
    `b,${account},two,2999-01-15T09:30:00Z,,, ,`,
    `c,${account},three,,`,
    `d,${account},four`,
  ]
  const path = write(['externalReference,accountIds,caption,scheduledAt', ...rows].join('\r\n'))
  const { code, summary } = await run(path)
  t.strictSame([code, counts(summary)], [0, [4, 4, 0, 0]])
  const stored = (await posts()).map(({ caption, scheduledAt }) => [caption, scheduledAt])
  t.strictSame(stored, [
    ['', null],
    ['two', '2999-01-15T09:30:00.000Z'],
    ['three', null],
    ['four', null],
  ])
})

t.test('dates of Excel need their order', async (t) => {
  const { account, write, run, posts } = await createScene(t)
  const dates: [cell: string, mdy: string, dmy: string][] = [
    ['1/15/2999 9:30', '2999-01-15T09:30:00.000Z', 'month 15 does not exist'],
    ['1/15/2999 9:30 PM', '2999-01-15T21:30:00.000Z', 'month 15 does not exist'],
    ['1/2/2999 12:05:06 am', '2999-01-02T00:05:06.000Z', '2999-02-01T00:05:06.000Z'],
    ['15/01/2999 09:30', 'month 15 does not exist', '2999-01-15T09:30:00.000Z'],
    ['15.01.2999 09:30', 'month 15 does not exist', '2999-01-15T09:30:00.000Z'],
    ['15-1-2999 12:30 p. m.', 'month 15 does not exist', '2999-01-15T12:30:00.000Z'],
    ['30/02/2999 09:30', 'month 30 does not exist', '30 February does not exist'],
    ['1/2/2999', 'has no time of day', 'has no time of day'],
    ['1/2/99 9:30', 'has two digits', 'has two digits'],
    ['1/2/2999 13:30 PM', 'no hour from 1 to 12', 'no hour from 1 to 12'],
    ['1/2/2999 25:30', 'hour 25 does not exist', 'hour 25 does not exist'],
    ['2999-01-15 09:30', '2999-01-15T09:30:00.000Z', '2999-01-15T09:30:00.000Z'],
  ]
  const fileOf = (order: string) =>
    write(
      [
        `externalReference;accountIds;caption;scheduledAt;scheduledAt@${account}`,
        ...dates.map(([cell], index) => `${order}-${index};${account};hi;${cell};${cell}`),
      ].join('\n'),
    )
  const untold = (await run(fileOf('none'), '--time-zone', 'UTC')).summary
  t.strictSame(counts(untold), [12, 1, 0, 11])
  for (const { reason } of untold.refusals) {
    t.match(reason, /^scheduledAt: Invalid datetime: .* is a date of Excel, .*--dates mdy .* --dates dmy/)
  }
  const problems: string[] = []
  for (const [at, order] of ['mdy', 'dmy'].entries()) {
    const { summary } = await run(fileOf(order), '--time-zone', 'UTC', '--dates', order)
    const stored = new Map((await posts()).map((post) => [post.externalReference, post.scheduledAt]))
    for (const [index, date] of dates.entries()) {
      const refusal = summary.refusals.find(({ row }: { row: number }) => row === index + 2)?.reason
      const seen = stored.get(`${order}-${index}`) ?? refusal ?? 'nothing'
      if (!seen.includes(date[at + 1]!)) problems.push(`${date[0]} as ${order}: ${seen}`)
    }
  }
  t.strictSame(problems, [])
  t.match(await run(fileOf('none'), '--dates', 'ymd'), { code: 2 })
})

t.test('a misspelt column is refused with the one that it may stand for', async (t) => {
  const { account, write, run } = await createScene(t)
  const header = 'externalReference,accountIds,Caption,scheduled_at,Media IDs,first coment,nonsense'
  const { code, stderr } = await run(write(`${header}\na,${account}`))
  t.equal(code, 1)
  t.match(
    stderr,
    'Did you mean caption by Caption, scheduledAt by scheduled_at, mediaIds by Media IDs, firstComment by first coment?',
  )
})

t.test('a terminal shows a bar, and other outputs do not', async (t) => {
  const show = (isTTY: boolean) => {
    let text = ''
    const write = (part: string | Uint8Array) => {
      text += part
      return true
    }
    const progress = createProgress({ isTTY, write }, 500)
    progress.update(0)
    progress.update(250)
    progress.end()
    return text.split('\r\u001b[K')
  }
  t.strictSame(show(true), ['', `[${'.'.repeat(30)}] 0 of 500`, `[${'#'.repeat(15)}${'.'.repeat(15)}] 250 of 500`, ''])
  t.strictSame(show(false), [''])
})
