import { html } from './html.ts'
import { chooseLanguage, LANGUAGES, language, sentences } from './language.ts'

/** The name of a language in this language. */
const nameOf = (code: string) => new Intl.DisplayNames(code, { type: 'language' }).of(code)

/** A field that changes the language of the page, which this browser remembers. */
export const LanguageChoice = () =>
  html`<footer><label class="inline">${sentences.shared.language} <select onChange=${(event: Event) => chooseLanguage((event.target as HTMLSelectElement).value)}>
    ${LANGUAGES.map((code) => html`<option value=${code} lang=${code} selected=${code === language}>${nameOf(code)}</option>`)}
  </select></label></footer>`
