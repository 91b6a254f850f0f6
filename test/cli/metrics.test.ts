import t from 'tap'
import { postroom } from '../helpers/command.ts'
import { createMetricsWorld, MINUTE } from '../helpers/metrics-world.ts'

t.test('postroom metrics prints a table, with bars on a terminal, CSV and JSON', async (t) => {
  const { databaseUrl, ada, user, connect, publish, read, mastodon, time } = await createMetricsWorld(t)
  const run = (...args: string[]) => postroom(args, { DATABASE_URL: databaseUrl, METRICS: 'on' })
  const linesOf = ({ stdout }: { stdout: string }) => stdout.trimEnd().split('\n')
  const lines = async (...args: string[]) => linesOf(await run(...args))
  const onTerminal = async (columns: number, ...args: string[]) =>
    linesOf(await postroom(args, { DATABASE_URL: databaseUrl, METRICS: 'on' }, { isTTY: true, columns }))
  t.strictSame(await lines('metrics'), ['none'])

  const account = await connect('mastodon')
  const first = await publish({ accountIds: [account], caption: 'Whales\nand "seals", =1+1' })
  const second = await publish({ accountIds: [account], caption: 'Otters' })
  Object.assign(mastodon.statuses[1]!, { favourites_count: 40, replies_count: 3 })
  mastodon.statuses[0]!.favourites_count = 1
  await read(15 * MINUTE)
  await publish({ accountIds: [account], caption: 'Not read yet' })
  await read()

  const [headings, unread, otters, whales] = await onTerminal(200, 'metrics')
  t.match(headings, /^published +account +views +likes +comments +reposts +read +post$/)
  t.match(unread, /mastodon alice@mastodon\.example +- +- +- +- +- +Not read yet$/)
  t.match(otters, / - +1 ▎ +0 +0 +\d{4}-\d\d-\d\d \d\d:\d\d +Otters$/)
  t.match(whales, / - +40 █{8} +3 +0 +\S+ \S+ +Whales and "seals", =1\+1$/)

  t.notMatch((await lines('metrics')).join('\n'), /[▏▎▍▌▋▊▉█]/, 'plain where no terminal is')
  t.match((await lines('metrics'))[3], / - +40 +3 +0 +\S+ \S+ +Whales and "seals", =1\+1$/)
  const narrow = await onTerminal(80, 'metrics')
  t.ok(Math.max(...narrow.map((line) => line.length)) <= 80)
  t.match(narrow[3], /^mastodon alice@\S+… +- +40 █{8} +3 +0 +Whales an…$/)

  const [columns, , row] = (await run('metrics', '--csv')).stdout.split('\n')
  t.equal(
    columns,
    'postId,accountId,platform,username,externalUrl,publishedAt,fetchedAt,likes,comments,reposts,quotes,shares,saves,views,reach,clicks,score',
  )
  t.match(
    row,
    new RegExp(
      `^${second},${account},mastodon,alice@mastodon.example,https://[^,]+,[^,]+,${time.now.toISOString()},1,0,0,0,,,,,,$`,
    ),
  )

  const json = JSON.parse((await run('metrics', '--json', '--limit', '1')).stdout)
  t.strictSame([json.hasMore, json.data.length], [true, 1])
  const ofOther = JSON.parse((await run('metrics', '--json', '--user', (await user()).id)).stdout)
  t.strictSame(ofOther, { data: [], hasMore: false })
  t.equal((await lines('metrics', '--user', ada.id, '--account', account)).length, 4)
  const unknown = await run('metrics', '--user', account)
  t.strictSame([unknown.code, unknown.stderr], [1, 'error: There is no user with this id\n'])

  const readAt = time.now.toISOString().slice(0, 16).replace('T', ' ')
  t.match(
    (await run('post', 'show', first)).stdout,
    new RegExp(`\n\nnumbers +likes +comments +reposts +quotes +read\nmastodon \\S+ +40 +3 +0 +0 +${readAt}\n$`),
  )
  t.match((await onTerminal(200, 'post', 'show', first)).join('\n'), / 40 █{8} /)
  const shown = (await run('post', 'show', first, '--csv')).stdout.split('\n')
  t.equal(shown[0], columns)
  t.match(
    shown[1],
    new RegExp(`^${first},${account},mastodon,alice@mastodon.example,https://[^,]+,[^,]+,[^,]+,40,3,0,0,`),
  )
  t.equal(shown.length, 3)
})
