import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { createScene } from './scene.ts'

/** Presses a button of the bar, fills the field of its question, and confirms it. */
async function act(page: Page, label: string, value?: string) {
  await page.getByRole('group', { name: 'Selected posts' }).getByRole('button', { name: label, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: label, exact: true })
  if (value) await dialog.locator('input').fill(value)
  await dialog.getByRole('button', { name: label, exact: true }).click()
}

t.test('selected posts are shifted, moved, retried and deleted, and the page says of each', needsBrowser, async (t) => {
  const { ada, db, accountIds, open, show } = await createScene(t)
  const create = async (caption: string, others: object = {}) =>
    (await ada.call('POST', '/posts', { accountIds, caption, ...others })).body.id as string
  const scheduledAt = '2030-05-15T10:00:00Z'
  const own = [{ accountId: accountIds[0], scheduledAt: '2030-05-15T11:00:00Z' }]
  const first = await create('First', { scheduledAt, accountOverrides: own })
  const second = await create('Second', { scheduledAt })
  const draft = await create('Third')
  const read = async (id: string) => (await ada.call('GET', `/posts/${id}`)).body
  const { page, problems } = await open()
  const select = page.getByRole('button', { name: 'Select', exact: true })
  const pick = (caption: string) => page.getByRole('checkbox', { name: `Select: ${caption}` }).first()
  const note = page.locator('.note')
  await show(page, '/calendar?date=2030-05-15')
  await page.getByRole('link', { name: /First/ }).first().waitFor()
  await select.click()
  await page.getByRole('button', { name: 'Select all shown' }).click()
  await page.getByText('3 selected').waitFor()
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  t.strictSame(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
  )
  // Somebody else changes a post meanwhile.
  await ada.call('PATCH', `/posts/${second}`, { caption: 'Second, changed' })
  await act(page, 'Shift', '7')
  await note.getByText('Shifted 1 of 3 posts. The others are as they were:').waitFor()
  await note.getByText(/^Second: the post has changed meanwhile/).waitFor()
  await note.getByText('Third: a draft has no time').waitFor()
  const shifted = await read(first)
  t.equal(shifted.scheduledAt, '2030-05-22T10:00:00.000Z')
  t.equal(shifted.targets[0].scheduledAt, '2030-05-22T11:00:00.000Z')
  t.equal((await read(second)).scheduledAt, '2030-05-15T10:00:00.000Z')
  await page.getByRole('button', { name: 'Undo' }).click()
  await note.getByText('Moved back 1 post.').waitFor()
  t.hasStrict(await read(first), { scheduledAt: '2030-05-15T10:00:00.000Z' })
  t.equal((await read(first)).targets[0].scheduledAt, '2030-05-15T11:00:00.000Z')

  await select.click()
  await pick('Third').check()
  await pick('Second, changed').check()
  await act(page, 'Move to a day', '2030-05-29')
  await note.getByText('Moved 2 posts.').waitFor()
  t.hasStrict(await read(draft), { status: 'scheduled', scheduledAtLocal: '2030-05-29T09:00:00' })
  t.equal((await read(second)).scheduledAt, '2030-05-29T10:00:00.000Z')
  await page.getByRole('button', { name: 'Undo' }).click()
  await note.getByText('Moved back 2 posts.').waitFor()
  t.hasStrict(await read(draft), { status: 'draft', scheduledAt: null })

  await db.updateTable('postTargets').set({ state: 'failed' }).where('postId', '=', second).execute()
  await show(page, '/calendar?view=list')
  await select.click()
  await page.getByRole('button', { name: 'Select all shown' }).click()
  await act(page, 'Retry')
  await note.getByText('Retried 1 post.').waitFor()
  t.ok(
    (await read(second)).targets.every(({ delivery }: { delivery: { state: string } }) => delivery.state === 'queued'),
  )

  await select.click()
  await pick('First').check()
  await act(page, 'Delete')
  await note.getByText('Deleted 1 post.').waitFor()
  t.equal((await ada.call('GET', `/posts/${first}`)).status, 404)
  t.equal((await ada.call('GET', `/posts/${second}`)).status, 200)
  t.strictSame(problems(), [])
})
