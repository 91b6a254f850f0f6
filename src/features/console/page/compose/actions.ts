import { showPost } from '../hooks.ts'
import { html } from '../html.ts'
import { Confirm } from '../parts.ts'
import { useCan } from '../session.ts'
import { type Draft, newDraft } from './draft.ts'
import type { useRetry } from './retry.ts'
import type { useStore } from './store.ts'

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
        ? html`<${Confirm} label="Retry anyway" isDisabled=${!canStore} act=${retrying.retryAnyway} onDone=${nothing} says="Somebody else has changed the post meanwhile. What is typed here is sent to ${storing.names.chosen}." />`
        : html`<${Confirm} label="Store this instead" isDangerous isDisabled=${!canStore} act=${storing.overwrite} publishes=${storing.sayDue} onDone=${(error?: Error) => error || showPost(stored!.id)} says="The post gets what is typed here, in place of what somebody else has typed meanwhile." />`)
    }
    ${
      storing.isReused &&
      html`<p class="warning" role="status">An earlier text of this post is stored already. <button type="button" disabled=${isBusy} onClick=${() => {
        storing.renew()
        storing.clear()
      }}>Make this one another post</button></p>`
    }
    <div class="buttons">
      ${isOut ? html`<${Confirm} label="Retry" isDisabled=${!canStore} act=${retrying.retry} onDone=${nothing} says="What is missing is sent to ${storing.names.chosen} within seconds." />` : html`<${StoreButtons} ...${props} />`}
      <${Confirm} label="Start again" says="What is typed and chosen on this page is dropped." act=${async () => setDraft(newDraft)} onDone=${nothing} />
    </div>`
}

function StoreButtons({ draft, storing, canStore, isPublishable, isBusy }: ActionsProps) {
  const canPublish = useCan('posts:publish')
  const { run, sayDue, publish, withdraw, sent, names } = storing
  const due = sayDue()
  const isScheduled = draft.isQueued || draft.time !== ''
  const isStoredTimed = draft.stored?.status === 'scheduled'
  const save = isScheduled ? (isStoredTimed ? 'Save the changes' : 'Schedule') : 'Save the draft'
  return html`
    ${
      due
        ? html`<${Confirm} label="Publish now" isDisabled=${!canStore} act=${publish} onDone=${nothing} says=${due} />`
        : (isScheduled || !isStoredTimed) &&
          html`<button type="button" class="primary" disabled=${!canStore} onClick=${run}>${save}</button>`
    }
    ${canPublish && !isScheduled && html`<${Confirm} label="Publish now" isDisabled=${!canStore || !isPublishable} act=${publish} onDone=${nothing} says="The post goes out to ${sent.length} ${sent.length === 1 ? 'account' : 'accounts'} within seconds." />`}
    ${isStoredTimed && html`<${Confirm} label="Back to draft" isDisabled=${isBusy} act=${withdraw} onDone=${nothing} says="The post gets what is typed here, but no time. Nothing of it is sent before somebody schedules or publishes it.${names.cancelled && ` It is then sent to ${names.cancelled} too, for which it is cancelled now.`}" />`}`
}
