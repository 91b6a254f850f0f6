import type { Locator } from 'playwright-core'
import t from 'tap'
import { SANDBOX_ACCOUNT_ID } from '../../schemas/account.ts'
import { PUBLISHED_POST_ID } from '../../schemas/delivery.ts'
import { drag, needsBrowser } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { jpeg } from '../helpers/upload.ts'
import { openDemo } from './demo.ts'

/** Neither this day nor one beside it is full, in any time zone: the demo posts most on the day of its start. */
const DAY = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)

t.test('a stranger does common tasks on the demo with few clicks', needsBrowser, async (t) => {
  const { page, client, button, dialog, confirmed } = await openDemo(t)
  const chip = (text: string) => page.locator('.chip').filter({ hasText: text })

  let clicks = 0
  const click = async (target: Locator) => {
    clicks++
    await target.click()
  }
  const type = async (target: Locator, text: string) => {
    clicks++
    await target.fill(text)
  }
  /** Each task begins at the calendar, which shows a day or else today. */
  const task = async (name: string, expected: number, steps: () => Promise<void>, day = '') => {
    await page.evaluate(`location.hash = '/calendar?date=${day}'`)
    await page.getByRole('button', { name: 'Today' }).waitFor()
    clicks = 0
    await steps()
    t.equal(clicks, expected, `${name}: ${clicks} clicks`)
  }

  await task('schedule a post with a picture for three accounts', 9, async () => {
    await click(page.getByRole('link', { name: 'Compose', exact: true }))
    for (const name of [/^Sandbox Demo/, /^Bluesky Ada/, /^X ada/]) await click(page.getByRole('checkbox', { name }))
    await type(page.getByLabel('Text', { exact: true }), 'The lamp is lit.')
    // One click opens the chooser of the system, another one takes the file there.
    clicks += 2
    await page
      .getByLabel(/^Drop files here/)
      .setInputFiles({ name: 'lamp.jpg', mimeType: 'image/jpeg', buffer: await jpeg() })
    await type(page.getByLabel('Time, or none for a draft'), `${DAY}T12:00`)
    await click(page.getByRole('button', { name: 'Schedule' }))
    await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
    await page.locator('main img').first().waitFor()
  })

  const move = async () => {
    const days = page.locator('.day')
    const post = chip('The lamp is lit.')
    await post.waitFor()
    const index = await days.evaluateAll((days) =>
      days.findIndex((day) => (day as { textContent: string }).textContent.includes('The lamp is lit.')),
    )
    clicks++
    const other = days.nth(index + (index % 7 === 6 ? -1 : 1))
    await drag(post, other)
    await other.locator('.chip').filter({ hasText: 'The lamp is lit.' }).waitFor()
    await click(page.getByRole('button', { name: 'Undo' }))
    await days.nth(index).locator('.chip').filter({ hasText: 'The lamp is lit.' }).waitFor()
  }
  await task('move a post to another day, and undo it', 2, move, DAY)

  const openFor = async (label: string) => {
    await click(chip('The lamp is lit.'))
    await click(button(label))
    await page.getByRole('heading', { name: 'Compose' }).waitFor()
  }
  const correct = async () => {
    await openFor('Open in the composer')
    const files = page.getByLabel('Post', { exact: true }).getByRole('group', { name: 'Files' })
    await click(files.getByRole('button', { name: 'Remove' }))
    clicks += 2
    await files
      .getByLabel(/^Drop files here/)
      .setInputFiles({ name: 'other.jpg', mimeType: 'image/jpeg', buffer: await jpeg(50) })
    await click(button('Save the changes'))
    await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  }
  await task('correct the picture of a scheduled post', 6, correct, DAY)

  const duplicate = async () => {
    await openFor('Duplicate')
    await click(button('Save the draft'))
    await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  }
  await task('make a new post of another one', 3, duplicate, DAY)

  await task('find out why a post has failed, and retry it', 3, async () => {
    await click(chip('Failed').first())
    await page.getByText('content_refused').first().waitFor()
    await click(button('Retry'))
    await click(confirmed('Retry'))
    await page.getByText('The network has it.').waitFor()
  })

  const { id: failedId } = await client.posts.create({
    accountIds: [SANDBOX_ACCOUNT_ID],
    caption: 'The lamp is out.',
    accountOverrides: [{ accountId: SANDBOX_ACCOUNT_ID, fields: { fault: 'content_refused' } }],
    scheduledAt: new Date().toISOString(),
  })
  const readDelivery = async () => (await client.posts.get(failedId)).targets[0]!.delivery
  await until('it has failed', readDelivery, { isMet: ({ state }) => state === 'failed' })
  await task('mend a post that has failed, and publish it', 6, async () => {
    await click(chip('The lamp is out.'))
    await click(button('Open in the composer'))
    await click(page.getByText('More options, 1 set'))
    clicks++
    await page.locator('select[name=fault]').selectOption('')
    await click(button('Publish now'))
    await click(confirmed('Publish now'))
    await page.getByText('The network has it.').waitFor()
  })

  const harbour = page.getByLabel('Sandbox', { exact: true }).getByRole('listitem').filter({ hasText: 'harbour' })

  await task('connect an account', 5, async () => {
    await click(page.getByRole('link', { name: 'Accounts' }))
    await click(button('Connect an account'))
    await click(button('Sandbox'))
    await type(page.getByLabel('username'), 'harbour')
    await click(page.getByLabel('Connect Sandbox').getByRole('button', { name: 'Connect', exact: true }))
    await harbour.getByText('Ready to publish.').waitFor()
  })
  const { id } = (await client.accounts.list({ platform: 'sandbox' })).data.find(
    ({ username }) => username === 'harbour',
  )!
  const readAttention = async () => (await client.accounts.get(id)).attention
  t.equal(await readAttention(), undefined)

  await client.posts.create({
    accountIds: [id],
    caption: 'The harbour is open.',
    accountOverrides: [{ accountId: id, fields: { fault: 'expired_token' } }],
    scheduledAt: new Date().toISOString(),
  })
  await until('the account needs its owner', readAttention)
  await task('mend an account that needs attention', 4, async () => {
    await click(page.getByRole('link', { name: 'Accounts' }))
    await click(harbour.getByRole('button', { name: 'Connect again' }))
    const field = page.getByLabel('username')
    t.ok(await field.evaluate((field) => field.matches(':focus')), 'the next step has the focus')
    await type(field, 'harbour')
    await click(page.getByLabel('Connect Sandbox').getByRole('button', { name: 'Connect', exact: true }))
    await harbour.getByText('Ready to publish.').waitFor()
  })
  t.equal(await readAttention(), undefined)

  await task('correct a published post', 4, async () => {
    await click(chip('Hello, sandbox.'))
    await click(button('Edit'))
    await type(dialog('Edit').getByLabel('Text'), 'Hello, harbour.')
    await click(confirmed('Edit'))
    await page.locator('p.text').getByText('Hello, harbour.').waitFor()
    await page.getByText('An edit is under way').waitFor({ state: 'hidden' })
    await button('Edit').waitFor()
  })
  const readTarget = async () => (await client.posts.get(PUBLISHED_POST_ID)).targets[0]!
  const edited = await readTarget()
  t.hasStrict(edited, { captionOverride: 'Hello, harbour.', delivery: { state: 'published', error: null } })
  t.notOk('edit' in edited.delivery)

  await task('take a published post down', 3, async () => {
    await click(chip('Hello, harbour.'))
    await click(button('Take down'))
    await dialog('Take down')
      .getByText(/deleted from demo on Sandbox/)
      .waitFor()
    await click(confirmed('Take down'))
    await page.getByText('It was taken down, and is no longer on the network.').waitFor()
  })
  const { delivery: removed } = await readTarget()
  t.hasStrict(removed, { state: 'removed', error: null })
  t.ok(removed.acts.every(({ removedAt }) => removedAt))
})

t.test('the page follows what the worker does to a published post', needsBrowser, async (t) => {
  const { page, client, button, dialog, confirmed } = await openDemo(t)
  /** Shows a post that the sandbox publishes, and whose change it then fails once. */
  const publish = async (caption: string, faults: { fault: string; faultCall: string }) => {
    const { id } = await client.posts.create({
      accountIds: [SANDBOX_ACCOUNT_ID],
      caption,
      accountOverrides: [{ accountId: SANDBOX_ACCOUNT_ID, fields: faults }],
    })
    await page.evaluate(`location.hash = '/posts/${id}'`)
    await button('Publish now').click()
    await confirmed('Publish now').click()
    await page.getByText('The network has it.').waitFor()
    return async () => (await client.posts.get(id)).targets[0]!
  }
  const text = dialog('Edit').getByLabel('Text')
  const shown = page.locator('p.text')

  const readEdited = await publish('We open at ten.', { fault: 'content_refused', faultCall: 'edit' })
  await button('Edit').click()
  await text.fill('We open at nine.')
  await confirmed('Edit').click()
  await page.getByText('It could not be edited').waitFor()
  t.hasStrict(await readEdited(), { captionOverride: null, delivery: { edit: { state: 'failed' } } })
  await shown.getByText('We open at ten.').waitFor()
  await button('Edit').click()
  t.equal(await text.inputValue(), 'We open at nine.', 'the text that was refused is kept')
  await confirmed('Edit').click()
  await page.getByText('It could not be edited').waitFor({ state: 'hidden' })
  await shown.getByText('We open at nine.').waitFor()
  await page.getByText('An edit is under way').waitFor({ state: 'hidden' })
  const edited = await readEdited()
  t.equal(edited.captionOverride, 'We open at nine.')
  t.notOk('edit' in edited.delivery)

  const readRemoved = await publish('Closed on Monday.', { fault: 'rate_limited', faultCall: 'remove' })
  await button('Take down').click()
  await confirmed('Take down').click()
  await page.getByText('It was taken down, and is no longer on the network.').waitFor()
  t.equal((await readRemoved()).delivery.state, 'removed')
  t.strictSame(
    (await client.sandbox.calls()).data.slice(0, 2).map(({ kind, accepted }) => ({ kind, accepted })),
    [true, false].map((accepted) => ({ kind: 'remove', accepted })),
  )
  t.strictSame(
    await page.locator('main').getByRole('button').allTextContents(),
    ['Use again', 'Explain'],
    'nothing is left to do with it',
  )
  t.equal(await page.getByRole('link', { name: 'Look at it on Sandbox' }).count(), 0, 'no link leads to nothing')
})
