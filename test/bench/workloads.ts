import type { Person } from './data.ts'
import { type Request, request } from './load.ts'

/** Generates the requests of one connection. Every connection has a generator of its own. */
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

/** A post for three accounts, one of them with a caption of its own. */
export const createPostBody = ({ accountIds }: Pick<Person, 'accountIds'>) => ({
  accountIds,
  caption: 'The harbour is open again from Monday. Bring your boats, and bring cake.',
  scheduledAt: '2100-01-01T12:00:00Z',
  accountOverrides: [{ accountId: accountIds[1], captionOverride: 'The harbour is open again. Cake is welcome.' }],
})

const create: Workload = (person) => {
  const bytes = request('POST', POSTS, person.key, createPostBody(person))
  return () => ({ bytes, status: 201 })
}

/** Of 100 requests, 70 list posts, 20 create a post, 5 list accounts and 5 delete a post. */
const mix: Workload = (person) => {
  const [lists, creates, listsOfAccounts] = [list()(person), create(person), accounts(person)]
  const ids: string[] = []
  const created = () => ({ ...creates(), onBody: (body: string) => void ids.push(JSON.parse(body).id) })
  let number = 0
  return () => {
    // 7 is coprime to 100: the kinds are spread evenly.
    const slot = (number++ * 7) % 100
    if (slot < 70) return lists()
    if (slot < 90) return created()
    if (slot < 95) return listsOfAccounts()
    const id = ids.shift()
    return id ? { bytes: request('DELETE', `${POSTS}/${id}`, person.key), status: 200 } : created()
  }
}

export const WORKLOADS = { 'list 25': list(), create, accounts, mix } satisfies Record<string, Workload>

export const listAt = (offset: number) => list(`?offset=${offset}`)
export const listAfter = (cursor: string) => list(`?cursor=${cursor}`)
