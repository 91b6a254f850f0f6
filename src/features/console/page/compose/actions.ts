import { showPost } from '../hooks.ts'
import { html } from '../html.ts'
import { paragraph, say, sentences } from '../language.ts'
import { Confirm } from '../parts.ts'
import { useCan } from '../session.ts'
import { type Draft, newDraft } from './draft.ts'
import type { useRetry } from './retry.ts'
import type { useStore } from './store.ts'

const words = sentences.compose.actions
const shared = sentences.shared.actions

interface ActionsProps {
  draft: Draft
  setDraft: (change: (draft: Draft) => Draft) => void
  storing: ReturnType<typeof useStore>
  retrying: ReturnType<typeof useRetry>
  /** Whether the service would store the post, and whether it would publish it now. */
  canStore: boolean
  isPublishable: boolean
  isBusy: boolean
}

const nothing = () => {}

/** The buttons of the composer, for a new post, a draft, a scheduled post, or one that is out. */
export function Actions(props: ActionsProps) {
  const { draft, setDraft, storing, retrying, canStore, isBusy } = props
  const { stored } = draft
  const isOut = stored?.status === 'published'
  const overtaken = isOut ? retrying.isOvertaken : storing.isOvertaken
  return html`
    ${
      overtaken &&
      (isOut
        ? html`<${Confirm} label=${words.retryAnyway} isDisabled=${!canStore} act=${retrying.retryAnyway} onDone=${nothing} says=${say(words.retryAnywayHelp, { accounts: storing.names.chosen })} />`
        : html`<${Confirm} label=${words.overwrite} isDangerous isDisabled=${!canStore} act=${storing.overwrite} publishes=${storing.sayDue} onDone=${(error?: Error) => error || showPost(stored!.id)} says=${words.overwriteHelp} />`)
    }
    ${
      storing.isReused &&
      html`<p class="warning" role="status">${words.reused} <button type="button" disabled=${isBusy} onClick=${() => {
        storing.renew()
        storing.clear()
      }}>${words.renew}</button></p>`
    }
    <div class="buttons">
      ${isOut ? html`<${Confirm} label=${shared.retry} isDisabled=${!canStore} act=${retrying.retry} onDone=${nothing} says=${say(words.retryHelp, { accounts: storing.names.chosen })} />` : html`<${StoreButtons} ...${props} />`}
      <${Confirm} label=${words.restart} says=${words.restartHelp} act=${async () => setDraft(newDraft)} onDone=${nothing} />
    </div>`
}

function StoreButtons({ draft, storing, canStore, isPublishable, isBusy }: ActionsProps) {
  const canPublish = useCan('posts:publish')
  const { run, sayDue, publish, withdraw, sent, names } = storing
  const due = sayDue()
  const isScheduled = draft.isQueued || draft.time !== ''
  const isStoredTimed = draft.stored?.status === 'scheduled'
  const save = isScheduled ? (isStoredTimed ? words.saveChanges : shared.schedule) : words.saveDraft
  return html`
    ${
      due
        ? html`<${Confirm} label=${shared.publishNow} isDisabled=${!canStore} act=${publish} onDone=${nothing} says=${due} />`
        : (isScheduled || !isStoredTimed) &&
          html`<button type="button" class="primary" disabled=${!canStore} onClick=${run}>${save}</button>`
    }
    ${canPublish && !isScheduled && html`<${Confirm} label=${shared.publishNow} isDisabled=${!canStore || !isPublishable} act=${publish} onDone=${nothing} says=${say(words.publishHelp, { count: sent.length })} />`}
    ${isStoredTimed && html`<${Confirm} label=${words.toDraft} isDisabled=${isBusy} act=${withdraw} onDone=${nothing} says=${paragraph(words.toDraftHelp, names.cancelled && say(words.toDraftCancelled, { accounts: names.cancelled }))} />`}`
}
