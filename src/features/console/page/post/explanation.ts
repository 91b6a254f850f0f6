import { useState } from 'preact/hooks'
import type { DeliveryExplanation } from '../../../../clients/sdk/index.ts'
import { useAction } from '../hooks.ts'
import { html } from '../html.ts'
import { label, sentences } from '../language.ts'
import { Problem } from '../problem.ts'
import { useSession } from '../session.ts'
import { formatInstant } from '../time.ts'

const words = sentences.post.explanation

/** Says on request why a delivery is in its state, in the words of the service. */
export function Explanation({ postId, accountId, timeZone }: { postId: string; accountId: string; timeZone: string }) {
  const { client } = useSession()
  const [explanation, setExplanation] = useState<DeliveryExplanation>()
  const { run, error, isRunning } = useAction(async () =>
    setExplanation(await client.deliveries.explain(postId, accountId)),
  )
  return html`
    <button type="button" disabled=${isRunning} onClick=${run}>${words.explain}</button>
    ${
      explanation &&
      html`<div role="status">
        <p>${explanation.summary}</p>
        <ol class="timeline">
          ${explanation.steps.map(({ at, message }) => html`<li>${at && html`<time datetime=${at}>${formatInstant(at, timeZone)}</time> `}<span dir="auto">${message}</span></li>`)}
        </ol>
        ${explanation.waits.slice(1).map(({ message }) => html`<p class="small" dir="auto">${message}</p>`)}
        <p>${explanation.next ? label(words.next, explanation.next.message) : words.nothing}</p>
      </div>`
    }
    ${error && html`<${Problem} error=${error} />`}
  `
}
