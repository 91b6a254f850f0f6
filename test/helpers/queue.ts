import type { Test } from 'tap'
import { WEEKDAYS } from '../../schemas/schedule.ts'
import { createWorld, type Person, type Reply } from './app.ts'

/** A slot on each day of the week. */
export const daily = (...times: string[]) => ({
  timeZone: 'UTC',
  slots: WEEKDAYS.flatMap((weekday) => times.map((time) => ({ weekday, time }))),
})

export async function createScene(t: Test, options: Parameters<typeof createWorld>[1] = {}) {
  const world = await createWorld(t, options)
  const ada = await world.user()
  const account = async (...times: string[]) => {
    const id = await ada.account('x')
    if (times.length > 0) await ada.call('PUT', `/accounts/${id}/schedule`, daily(...times))
    return id
  }
  const slots = async (id: string, limit = 10): Promise<{ scheduledAt: string; isTaken: boolean; postId?: string }[]> =>
    (await ada.call('GET', `/accounts/${id}/slots?limit=${limit}`)).body.data
  const create = (accountIds: string[], more: object = { schedule: { queue: 'next' } }, person: Person = ada) =>
    person.call('POST', '/posts', { accountIds, caption: 'hi', ...more })
  return { ...world, ada, account, slots, create }
}

export const timesOf = ({ status, body }: Reply) =>
  status === 201 ? body.slots.map(({ scheduledAt }: { scheduledAt: string }) => scheduledAt) : body

export const errorOf = ({ status, headers }: Reply) => [status, headers['x-error-code']]
