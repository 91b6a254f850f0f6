import type { Page } from 'playwright-core'
import t from 'tap'
import { drag, needsBrowser } from '../helpers/browser.ts'
import { createScene, ZONE } from './scene.ts'

/** Wednesday noon in Berlin, by the clock of the browser. Everything is still to come for the service. */
const NOON = new Date('2030-05-15T10:00:00Z')

type Scene = Awaited<ReturnType<typeof createScene>>

const postBy = async ({ ada }: Scene, id: string) => (await ada.call('GET', `/posts/${id}`)).body

async function createPost({ ada, accountIds }: Scene, post: object) {
  return (await ada.call('POST', '/posts', { accountIds, caption: 'The lamp is lit.', ...post })).body.id as string
}

const chipOf = (page: Page) => page.getByRole('link', { name: /The lamp is lit\./ })

t.test('a post is dragged to a time that is still to come, and to no other one', needsBrowser, async (t) => {
  const scene = await createScene(t)
  const id = await createPost(scene, { scheduledAt: '2030-05-16T09:00:00', timeZone: ZONE })
  const { page, problems } = await scene.open(scene.ada.key, { viewport: { width: 1280, height: 1000 } })
  await scene.show(page, '/calendar?date=2030-05-15')
  // The clock begins in 1970, for which a calendar without a date would ask the service.
  await page.clock.setFixedTime(NOON)
  const day = (date: string) => page.getByLabel(new RegExp(`${date} May 2030`))
  const dateOf = async () => (await postBy(scene, id)).scheduledAtLocal
  await chipOf(page).waitFor()
  await drag(chipOf(page), day('14'))
  t.equal(await page.locator('.note').textContent(), '', 'a day that is over takes no drop')
  await drag(chipOf(page), day('15'))
  await page.getByText(/^Not moved: Wednesday,? 15 May 2030.* 09:00 has passed\./).waitFor()
  t.equal(await dateOf(), '2030-05-16T09:00:00')

  await drag(chipOf(page), day('17'))
  await page.getByText(/^Moved to Friday,? 17 May 2030/).waitFor()
  await page.clock.setFixedTime(new Date('2030-05-16T10:00:00Z'))
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/16 May 2030.* has passed\./).waitFor()
  t.equal(await dateOf(), '2030-05-17T09:00:00', 'an undo publishes nothing')

  await scene.show(page, '/calendar?date=2030-05-16&view=week')
  const hour = (time: string) => day('16').locator(`[data-hour="${time}"]`)
  await chipOf(page).waitFor()
  const said = await page.locator('.note').textContent()
  await drag(chipOf(page), hour('11'))
  t.equal(await page.locator('.note').textContent(), said, 'an hour that is over takes no drop')
  await drag(chipOf(page), hour('12'))
  await page.getByText(/^Not moved: .* 12:00 has passed\./).waitFor()
  await drag(chipOf(page), hour('13'))
  await page.getByText(/^Moved to Thursday,? 16 May 2030.* 13:00\./).waitFor()
  t.equal(await dateOf(), '2030-05-16T13:00:00')
  t.strictSame(problems(), [])
})

t.test('a move says what the service warns of, on the page of the post too', needsBrowser, async (t) => {
  const scene = await createScene(t, { postGapMs: 900_000 })
  const other = await createPost(scene, { caption: 'Another one', scheduledAt: '2030-05-17T10:05:00Z' })
  await createPost(scene, { scheduledAt: '2030-05-16T10:00:00Z' })
  const { page, problems } = await scene.open()
  await scene.show(page, '/calendar?date=2030-05-15')
  await chipOf(page).waitFor()
  await drag(chipOf(page), page.getByLabel(/17 May 2030/))
  const warning = /ada\.example\.com on Bluesky: Another post is due, or was published, shortly before or after/
  const note = page.locator('.note')
  await note.getByText(warning).waitFor()
  t.notMatch(await note.innerText(), other, 'it shows no id')
  await chipOf(page).click()
  const told = page.getByRole('status').filter({ hasText: 'About your last change' })
  await told.getByText(warning).waitFor()
  await told.getByRole('link', { name: 'Open that post' }).first().click()
  await page.waitForURL((url) => url.hash === `#/posts/${other}`)
  t.strictSame(problems(), [])
})

t.test('the page asks before it publishes for a time in the past', needsBrowser, async (t) => {
  const scene = await createScene(t)
  const { db, accountIds, ada } = scene
  const [first, second] = ['ada.example.com on Bluesky', 'ada on Sandbox']
  const LATER = '2030-05-16T09:00:00.000Z'
  const { page, problems } = await scene.open()
  const open = async (post: object, label: string) => {
    const id = await createPost(scene, { scheduledAt: '2030-05-15T09:00:00Z', ...post })
    await scene.show(page, `/posts/${id}`)
    await page.locator('main').getByRole('button', { name: label, exact: true }).first().click()
    const dialog = page.locator('dialog[open]')
    const button = (name: string) => dialog.getByRole('button', { name, exact: true })
    const asks = (names: string) =>
      dialog
        .getByRole('alert')
        .getByText(`The time has passed: the post goes out to ${names} within seconds.`)
        .waitFor()
    const publish = async () => {
      await button('Publish now').click()
      await dialog.waitFor({ state: 'hidden' })
    }
    return { id, dialog, button, asks, publish }
  }
  const dueOf = async (id: string) => {
    const { targets } = await postBy(scene, id)
    return targets
      .filter(
        ({ delivery }: { delivery: { nextAttemptAt: string } }) => Date.parse(delivery.nextAttemptAt) <= Date.now(),
      )
      .map(({ accountId }: { accountId: string }) => accountId)
  }

  t.test('for a whole post', async (t) => {
    const { id, dialog, button, asks, publish } = await open({}, 'Change the time')
    await dialog.getByLabel(/^Time/).fill('2020-01-01T09:00')
    await button('Change the time').dblclick()
    await asks(`${first}, ${second}`)
    t.strictSame(await dueOf(id), [], 'a double click confirms nothing')
    await dialog.getByLabel(/^Time/).fill('2030-05-20T09:00')
    await button('Change the time').waitFor()
    await dialog.getByLabel(/^Time/).fill('2020-01-01T09:00')
    await button('Change the time').click()
    await publish()
    t.strictSame(await dueOf(id), accountIds)
    const { scheduledAt } = await postBy(scene, id)
    t.ok(Date.now() - Date.parse(scheduledAt) < 3_600_000, 'it has the time at which it goes out')
  })

  t.test('for the accounts without a time of their own', async (t) => {
    const own = { accountOverrides: [{ accountId: accountIds[1], scheduledAt: LATER }] }
    const { id, dialog, button, asks, publish } = await open(own, 'Change the time')
    await dialog.getByLabel(/^Time/).fill('2020-01-01T09:00')
    await button('Change the time').click()
    await asks(first!)
    await publish()
    t.strictSame(await dueOf(id), accountIds.slice(0, 1))
  })

  t.test('for one account', async (t) => {
    const { id, dialog, button, asks, publish } = await open({}, 'Its own time')
    await dialog.getByLabel(/^Time/).fill('2020-01-01T09:00')
    await button('Its own time').click()
    await asks(first!)
    await publish()
    t.strictSame(await dueOf(id), accountIds.slice(0, 1))
  })

  t.test('for an account that gives its own time up', async (t) => {
    const own = { accountOverrides: [{ accountId: accountIds[0], scheduledAt: LATER }] }
    const { id, dialog, button, asks, publish } = await open(
      { scheduledAt: '2020-01-01T09:00:00Z', ...own },
      'Its own time',
    )
    await dialog.getByLabel(/^Time/).fill('')
    await button('Its own time').click()
    await asks(first!)
    t.strictSame(await dueOf(id), accountIds.slice(1))
    await publish()
    t.strictSame(await dueOf(id), accountIds)
  })

  t.test('for a new text of a post that has failed', async (t) => {
    const { id } = (
      await ada.call('POST', '/posts', { accountIds, caption: 'Lit.', scheduledAt: '2020-01-01T09:00:00Z' })
    ).body
    await db.updateTable('postTargets').set({ state: 'failed' }).where('postId', '=', id).execute()
    await scene.show(page, `/posts/${id}`)
    await page.locator('main').getByRole('button', { name: 'Change the text' }).first().click()
    const dialog = page.locator('dialog[open]')
    await dialog.getByLabel('Text').fill('The lamp is lit.')
    await dialog.getByRole('button', { name: 'Change the text' }).click()
    await dialog.getByText(`goes out to ${first}, ${second} within seconds`).waitFor()
    t.equal((await postBy(scene, id)).caption, 'Lit.')
    await dialog.getByRole('button', { name: 'Publish now' }).click()
    await dialog.waitFor({ state: 'hidden' })
    t.strictSame(await dueOf(id), accountIds)
  })
  t.strictSame(problems(), [])
})

t.test('the composer asks before it publishes what has a time in the past', needsBrowser, async (t) => {
  const scene = await createScene(t)
  const { ada, accountIds, open, show } = scene
  const { page, problems } = await open()
  const compose = async (time: string) => {
    await show(page, '/compose')
    for (const name of ['ada.example.com', /^Sandbox /]) await page.getByRole('checkbox', { name }).check()
    await page.getByLabel('Text', { exact: true }).fill('The lamp is lit.')
    await page.getByLabel('Time, or none for a draft').fill(time)
  }
  const publish = page.locator('main').getByRole('button', { name: 'Publish now' }).first()
  const dialog = page.getByRole('dialog', { name: 'Publish now' })
  const posts = async () => (await ada.call('GET', '/posts?include=targets')).body.data

  await compose('2020-01-01T09:00')
  await publish.click()
  await dialog.getByText('goes out to ada.example.com on Bluesky, ada on Sandbox within seconds.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Schedule' }).count(), 0)
  t.strictSame(await posts(), [])
  await dialog.getByRole('button', { name: 'Publish now' }).click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  const [whole] = await posts()
  t.ok(Date.now() - Date.parse(whole.scheduledAt) < 3_600_000, 'it has the time at which it goes out')

  await compose('2030-05-15T09:00')
  await page
    .getByLabel(/ on Bluesky$/)
    .getByLabel('Its own time, or none')
    .fill('2020-01-01T09:00')
  await publish.click()
  await dialog
    .getByText('goes out to ada.example.com on Bluesky within seconds. The other accounts get it at their times.')
    .waitFor()
  await dialog.getByRole('button', { name: 'Publish now' }).click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  const [part] = await posts()
  t.strictSame(
    [part.scheduledAt, ...part.targets.map(({ accountId }: { accountId: string }) => accountId)],
    ['2030-05-15T07:00:00.000Z', ...accountIds],
  )
  t.ok(Date.parse(part.targets[0].delivery.nextAttemptAt) <= Date.now())

  await page.clock.setFixedTime(NOON)
  await compose('2030-05-15T12:30')
  const schedule = page.getByRole('button', { name: 'Schedule' })
  await schedule.and(page.locator(':enabled')).waitFor()
  await page.clock.setFixedTime(new Date(NOON.getTime() + 3_600_000))
  await schedule.click()
  await page.getByText('The time has passed meanwhile.').waitFor()
  await publish.waitFor()
  t.equal((await posts()).length, 2)
  t.strictSame(problems(), [])
})

t.test('a published post stands in the calendar where it was published', needsBrowser, async (t) => {
  const scene = await createScene(t)
  const { db, ada, open, show } = scene
  const accountIds = [...scene.accountIds, await ada.account('mastodon', { username: 'ada' })]
  const create = async (caption: string, scheduledAt: string, publishedAt: (string | null)[]) => {
    const { id } = (await ada.call('POST', '/posts', { accountIds, caption, scheduledAt })).body
    for (const [index, at] of publishedAt.entries()) {
      await db
        .updateTable('postTargets')
        .set(
          at
            ? { state: 'published', publishedAt: new Date(at), sent: JSON.stringify([{ id: '1', url: null }]) }
            : { state: 'failed' },
        )
        .where('postId', '=', id)
        .where('accountId', '=', accountIds[index]!)
        .execute()
    }
    await db.updateTable('posts').set({ status: 'published' }).where('id', '=', id).execute()
  }
  const retried = ['2030-05-15T10:00:02Z', '2030-05-15T10:01:00Z', '2030-05-17T13:30:00Z']
  await create('The lamp is lit.', '2030-05-15T10:00:00Z', retried)
  await create('Part of it', '2030-05-21T10:00:00Z', ['2030-05-22T09:00:00Z', null, null])
  await create(
    'Long after',
    '2030-05-10T10:00:00Z',
    retried.map(() => '2031-01-02T09:00:00Z'),
  )
  const { page, problems } = await open()
  await show(page, '/calendar?date=2030-05-15')
  const textsOn = async (date: string) => {
    const day = page.getByLabel(new RegExp(`, ${date} May 2030|${date} May 2030,`))
    const chips = await day.locator('.chip').all()
    return Promise.all(
      chips.map(async (chip) => {
        const accounts = await chip
          .getByRole('img')
          .evaluateAll((icons) =>
            icons.map((icon) => (icon as { getAttribute(name: string): string }).getAttribute('aria-label')),
          )
        return [(await chip.innerText()).replaceAll(/\s+/g, ' ').trim(), ...accounts]
      }),
    )
  }
  await chipOf(page).first().waitFor()
  const [bluesky, sandbox, mastodon] = ['ada.example.com on Bluesky', 'ada on Sandbox', 'ada on Mastodon']
  t.strictSame(await textsOn('15'), [['12:00 ✓ Published A A ada.example.com +1 The lamp is lit.', bluesky, sandbox]])
  t.strictSame(await textsOn('17'), [['15:30 ✓ Published A ada The lamp is lit.', mastodon]])
  const stopped = '12:00 ✕ Failed ⚠ Needs its owner: ada on Mastodon A A ada +1 Part of it'
  t.strictSame(await textsOn('21'), [[stopped, sandbox, mastodon]])
  t.strictSame(await textsOn('22'), [['11:00 ✓ Published A ada.example.com Part of it', bluesky]])
  t.match(await textsOn('10'), [[/^2 Jan 2031, 10:00/]], 'one that was published outside of the month says when')
  t.strictSame(problems(), [])
})
