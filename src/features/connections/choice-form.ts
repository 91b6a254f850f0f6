import type { ConnectionChoice } from '../../../schemas/connection.ts'
import { type Html, html } from '../../base/http/html.ts'

const labelOf = ({ username, displayName, kind, connectedAs }: ConnectionChoice) =>
  // The direction of a name, such as an Arabic one, ends with it.
  html`<span><bdi>${displayName ?? username}</bdi> <small>${displayName && `@${username}, `}${kind}${connectedAs && ', connected already'}</small></span>`

/** The form in which a person chooses accounts. */
export const choiceForm = (choices: ConnectionChoice[], problem: string | undefined): Html => html`
${problem && html`<p role="alert" id="problem">${problem}</p>`}
<form method="post">
<fieldset${problem && html` aria-describedby="problem"`}>
<legend>Accounts to connect</legend>
${choices.map((choice) => html`<label><input type="checkbox" name="id" value="${choice.id}"> ${labelOf(choice)}</label>\n`)}</fieldset>
<button type="submit">Connect</button>
</form>`
