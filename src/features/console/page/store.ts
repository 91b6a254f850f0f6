import { useState } from 'preact/hooks'
import { type Account, Conflict, PreconditionFailed } from '../../../clients/sdk/index.ts'
import { type Draft, isTimed, newDraft, timeOf, toBody } from './draft.ts'
import { useAction } from './hooks.ts'
import { keepWarnings } from './issues.ts'
import { publishErrors } from './post.ts'
import { useAccountNames, useSession, versionOf } from './session.ts'
import { isPast } from './time.ts'
import { publishesNow } from './words.ts'

/** The values with which a change of a draft removes what its body leaves out. */
const NOTHING = { firstComment: null, mediaFit: null, padColor: null, threadParts: null }

export const showPost = (id: string) => location.assign(`#/posts/${id}`)

/** The ways to store a typed post for these accounts: as a new one, or in place of the content of the stored draft. */
export function useStore(draft: Draft, accounts: Account[], setDraft: (change: (draft: Draft) => Draft) => void) {
  const { client } = useSession()
  const nameAccounts = useAccountNames()
  const [isReused, setReused] = useState(false)
  const [isOvertaken, setOvertaken] = useState(false)
  const { stored, accountIds } = draft
  const store = async ({ version = stored, body = toBody(draft) } = {}) => {
    const { id } = await (version
      ? client.posts.update(version.id, { ...NOTHING, ...body }, { ifMatch: version.ifMatch }).then(keepWarnings)
      : client.posts.create(body, { idempotencyKey: draft.key }).then(keepWarnings)
    ).catch((error) => {
      setReused(error instanceof Conflict && error.code === 'idempotency_key_reused')
      setOvertaken(error instanceof PreconditionFailed)
      throw error
    })
    setDraft(newDraft)
    return id
  }
  const overwrite = async () => {
    const present = await client.posts.get(stored!.id)
    if (present.status !== 'draft') throw new Error('It is no draft any more: open the post, and change it there.')
    return store({ version: { id: present.id, ...versionOf(present) } })
  }
  const renew = () => {
    setDraft((draft) => ({ ...draft, key: crypto.randomUUID() }))
    setReused(false)
  }
  /** The accounts to which the post goes out as soon as it is stored. */
  const findDue = () => (isTimed(draft) ? accountIds.filter((id) => isPast(timeOf(draft, id))) : [])
  const sayDue = () => {
    const due = findDue()
    if (due.length === 0) return undefined
    const says = publishesNow(nameAccounts(accounts.filter(({ id }) => due.includes(id))) || 'its accounts')
    return due.length < accountIds.length ? `${says} The other accounts get it at their times.` : says
  }
  const action = useAction(async () => {
    if (sayDue()) throw new Error('The time has passed meanwhile. Choose another one, or publish now.')
    showPost(await store())
  })
  const publish = async () => {
    if (isTimed(draft) && findDue().length < accountIds.length) return showPost(await store())
    // The post is stored by then: its own page shows why it is not published.
    const id = await store({ body: toBody({ ...draft, time: '' }) })
    await client.posts.publish(id).catch((error) => publishErrors.set(id, error))
    showPost(id)
  }
  return { ...action, publish, overwrite, renew, sayDue, isReused, isOvertaken }
}
