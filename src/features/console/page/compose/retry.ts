import { useState } from 'preact/hooks'
import { PreconditionFailed, type RetryDelivery } from '../../../../clients/sdk/index.ts'
import { showPost } from '../hooks.ts'
import { useSession, versionOf } from '../session.ts'
import { type Draft, newDraft, type Stored, toBody } from './draft.ts'
import { toMergePatch } from './patch.ts'
import { descriptionsAreStored } from './uploads.ts'

/** All that one account gets of a typed post, as the content of a retry. */
export function toRetry(draft: Draft, accountId: string): RetryDelivery {
  const { accountOverrides = [], threadParts, mediaIds = [], caption = '', mediaFit, padColor } = toBody(draft)
  const own = accountOverrides.find((override) => override.accountId === accountId)
  const parts = threadParts?.[accountId]
  return {
    ...(parts
      ? { threadParts: parts, threadMedia: own?.threadMedia ?? parts.map((_, part) => (part === 0 ? mediaIds : [])) }
      : { captionOverride: own?.captionOverride ?? caption, mediaIds: own?.mediaIds ?? mediaIds }),
    mediaFit: own?.mediaFit ?? mediaFit ?? null,
    padColor: own?.padColor ?? padColor ?? null,
    fields: own?.fields ?? {},
  }
}

/** The content that has changed for an account since the post was opened. Published parts of a thread stay so. */
function changesOf(draft: Draft, { retried, fields }: Stored, accountId: string): RetryDelivery {
  const before: RetryDelivery = retried?.[accountId] ?? {}
  const changed = Object.entries(toRetry(draft, accountId)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof RetryDelivery]),
  )
  return Object.fromEntries(
    changed.map(([name, value]) => [name, name === 'fields' ? toMergePatch(fields[accountId], value) : value]),
  )
}

/**
 * Retries the chosen accounts of a post that is out, one after the other, each with what was typed for it. If one is
 * refused, the composer keeps that one and those after it.
 */
export function useRetry(draft: Draft, setDraft: (change: (draft: Draft) => Draft) => void) {
  const { client } = useSession()
  const [sentIds, setSentIds] = useState<string[]>([])
  const [isOvertaken, setOvertaken] = useState(false)
  const retryFrom = async (stored: Stored) => {
    let { ifMatch } = stored
    await descriptionsAreStored()
    const left = [...draft.accountIds]
    const keepLeft = (error: Error) => {
      setOvertaken(error instanceof PreconditionFailed)
      const sent = draft.accountIds.filter((id) => !left.includes(id))
      setSentIds((before) => [...before, ...sent])
      const retried = Object.entries(stored.retried!).filter(([id]) => !sent.includes(id))
      const kept = { ...stored, ifMatch, retried: Object.fromEntries(retried) }
      setDraft((draft) => ({ ...draft, accountIds: left, stored: kept }))
      throw error
    }
    for (const id of draft.accountIds) {
      const changes = changesOf(draft, stored, id)
      const post = await client.deliveries.retry(stored.id, id, changes, { ifMatch }).catch(keepLeft)
      ifMatch = versionOf(post).ifMatch
      left.shift()
    }
    setDraft(newDraft)
    showPost(stored.id)
  }
  const retry = () => retryFrom(draft.stored!)
  /** Retries although somebody else has changed the post since it was opened. */
  const retryAnyway = async () => {
    const present = await client.posts.get(draft.stored!.id)
    return retryFrom({ ...draft.stored!, ...versionOf(present) })
  }
  return { retry, retryAnyway, isOvertaken, sentIds }
}
