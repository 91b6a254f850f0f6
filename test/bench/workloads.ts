import type { Person } from './data.ts'
import { type Request, request } from './load.ts'

/** What one connection asks for, one request after the other. Each connection has its own. */
export type Workload = (person: Person) => () => Request

const POSTS = '/api/v1/posts'

const list =
  (query = ''): Workload =>
  ({ key }) => {
    const bytes = request('GET', POSTS + query, key)
    return () => ({ bytes, status: 200 })
  }

const accounts: Workload = ({ key }) => {
  const bytes = request('GET', '/api/v1/accounts', key)
  return () => ({ bytes, status: 200 })
}

/** A post for three accounts, one of which gets another caption. */
export const POST_OF = ({ accountIds }: Pick<Person, 'accountIds'>) => ({
  accountIds,
  caption: 'The harbour is open again from Monday. Bring your boats, and bring cake.',
  scheduledAt: '2100-01-01T12:00:00Z',
  accountOverrides: [{ accountId: accountIds[1], captionOverride: 'The harbour is open again. Cake is welcome.' }],
})

const create: Workload = (person) => {
  const bytes = request('POST', POSTS, person.key, POST_OF(person))
  return () => ({ bytes, status: 201 })
}

/** Of a hundred requests 70 lists, 20 posts, 5 lists of accounts, and 5 posts that are deleted again. */
const mix: Workload = (person) => {
  const [lists, creates, listsOfAccounts] = [list()(person), create(person), accounts(person)]
  const mine: string[] = []
  const created = () => ({ ...creates(), onBody: (body: string) => void mine.push(JSON.parse(body).id) })
  let number = 0
  return () => {
    // Spread evenly: 7 is a generator of the numbers below 100.
    const place = (number++ * 7) % 100
    if (place < 70) return lists()
    if (place < 90) return created()
    if (place < 95) return listsOfAccounts()
    const id = mine.shift()
    return id ? { bytes: request('DELETE', `${POSTS}/${id}`, person.key), status: 200 } : created()
  }
}

export const WORKLOADS = { 'list 25': list(), create, accounts, mix } satisfies Record<string, Workload>

export const listAt = (offset: number) => list(`?offset=${offset}`)
export const listAfter = (cursor: string) => list(`?cursor=${cursor}`)
