import { useState } from 'preact/hooks'
import { type Account, Conflict, type CreatePost, PreconditionFailed } from '../../../../clients/sdk/index.ts'
import { isDue, isSent, publishesNow } from '../due.ts'
import { showPost, useAction } from '../hooks.ts'
import { keepWarnings } from '../issues.ts'
import { paragraph, sentences } from '../language.ts'
import { publishErrors } from '../post/post.ts'
import { useAccountNames, useSession } from '../session.ts'
import { isPast, toInstant, toSchedule } from '../time.ts'
import { type Draft, isTimed, newDraft, type Stored, timeOf, toBody } from './draft.ts'
import { toPatch } from './patch.ts'
import { toStored } from './stored.ts'
import { descriptionsAreStored } from './uploads.ts'

const words = sentences.compose.actions

interface Storing {
  typed?: Draft
  stored?: Stored | undefined
  body?: CreatePost
  /** Whether a time that is as it was when the post was opened is left out of the change. */
  keepsTimes?: boolean
}

/** The ways to store a typed post for these accounts: as a new one, or in place of the content of the stored one. */
export function useStore(draft: Draft, accounts: Account[], setDraft: (change: (draft: Draft) => Draft) => void) {
  const { client } = useSession()
  const nameAccounts = useAccountNames()
  const [isReused, setReused] = useState(false)
  const [isOvertaken, setOvertaken] = useState(false)
  const { accountIds } = draft
  const store = async ({
    typed = draft,
    stored = draft.stored,
    body = toBody(typed),
    keepsTimes = true,
  }: Storing = {}) => {
    await descriptionsAreStored()
    const { id } = await (stored
      ? client.posts
          .update(stored.id, toPatch(body, typed, stored, keepsTimes), { ifMatch: stored.ifMatch })
          .then(keepWarnings)
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
    const present = await client.posts.get(draft.stored!.id)
    if (present.status !== draft.stored!.status) {
      throw new Error(words.is[present.status])
    }
    const body = sayDue() ? toDueBody(draft, isForAll()) : toBody(draft)
    return store({ stored: toStored(present, draft), body, keepsTimes: false })
  }
  const renew = () => {
    setDraft((draft) => ({ ...draft, key: crypto.randomUUID() }))
    setReused(false)
  }
  const nameOf = (ids: string[]) => nameAccounts(accounts.filter(({ id }) => ids.includes(id)))
  const states = draft.stored?.states ?? {}
  const cancelled = accountIds.filter((id) => !isSent(states[id]))
  const sent = accountIds.filter((id) => isSent(states[id]))
  const unsent = accountIds.filter((id) => states[id] === 'failed' || states[id] === 'missed')
  /** The accounts to which the post goes out as soon as it is stored. */
  const findDue = () => (isTimed(draft) ? sent.filter((id) => isDue(states[id], timeOf(draft, id))) : [])
  const sayDue = () => {
    const due = findDue()
    if (due.length === 0) return undefined
    const says = publishesNow(nameOf(due) || sentences.shared.post.itsAccounts)
    return due.length < sent.length ? paragraph(says, words.others) : says
  }
  const action = useAction(async () => {
    if (sayDue()) throw new Error(words.passed)
    showPost(await store())
  })
  const isForAll = () => !isTimed(draft) || findDue().length === sent.length
  const publish = async () => {
    if (draft.stored?.status === 'scheduled') {
      return showPost(await store({ body: toDueBody(draft, isForAll()), keepsTimes: false }))
    }
    if (!isForAll()) return showPost(await store())
    // The post is stored by then: its own page shows why it is not published.
    const id = await store({ typed: { ...draft, time: '' } })
    await client.posts.publish(id).catch((error) => publishErrors.set(id, error))
    showPost(id)
  }
  const withdraw = async () => showPost(await store({ typed: { ...draft, time: '', isQueued: false } }))
  const names = { cancelled: nameOf(cancelled), unsent: nameOf(unsent), chosen: nameOf(accountIds) }
  return { ...action, publish, withdraw, overwrite, renew, sayDue, sent, names, isReused, isOvertaken }
}

/** The body of a typed post that is due now: for all of its accounts, or for those whose time has passed. */
function toDueBody(draft: Draft, isForAll: boolean): CreatePost {
  const { accountOverrides = [], ...body } = toBody(draft)
  const now = new Date()
  return {
    ...body,
    ...((isForAll || isPast(toInstant(draft.time, draft.timeZone))) && toSchedule(now, draft.timeZone)),
    accountOverrides: accountOverrides.map(({ scheduledAt, ...own }) => ({
      ...own,
      ...(!isForAll &&
        scheduledAt && { scheduledAt: isPast(timeOf(draft, own.accountId)) ? now.toISOString() : scheduledAt }),
    })),
  }
}
