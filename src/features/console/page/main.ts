import { render } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { hasScope } from '../../../../schemas/scopes.ts'
import { Unauthorized } from '../../../clients/sdk/index.ts'
import { Accounts } from './accounts/accounts.ts'
import { Activity } from './activity/activity.ts'
import { Calendar } from './calendar/calendar.ts'
import { Compose } from './compose/compose.ts'
import { GivenKey } from './given-key.ts'
import { answerTabs, askTabs, noteSignOut } from './handover.ts'
import { calendarAddress, keep, useLoad, useRoute } from './hooks.ts'
import { html } from './html.ts'
import { sayElements, sentences } from './language.ts'
import { LanguageChoice } from './language-choice.ts'
import { MediaPage } from './media/media.ts'
import { Numbers } from './numbers/numbers.ts'
import { Loading } from './parts.ts'
import { PeopleContext, useLoadedPeople } from './people.ts'
import { PostPage } from './post/post.ts'
import { Problem } from './problem.ts'
import {
  forgetKey,
  forgetPerson,
  forgetTyped,
  keepKey,
  readKey,
  type Session,
  SessionContext,
  signIn,
  takeKey,
  useSession,
} from './session.ts'

const { loading, shell, signIn: signInWords } = sentences.shared

const PAGES = [
  { name: 'calendar', page: Calendar, needs: 'posts:read' },
  { name: 'compose', page: Compose, needs: 'posts:write' },
  { name: 'media', page: MediaPage, needs: 'media:read' },
  { name: 'numbers', page: Numbers, needs: 'posts:read' },
  { name: 'accounts', page: Accounts, needs: 'accounts:read' },
  { name: 'activity', page: Activity, needs: 'posts:read' },
] as const

function Console() {
  const [key, setKey] = useState(readKey)
  const [given, setGiven] = useState<string>()
  const [error, setError] = useState<Error>()
  const [isAsking, setAsking] = useState(key === null)
  const end = (error?: Error) => {
    if (error) forgetKey()
    else {
      forgetPerson()
      noteSignOut()
    }
    setGiven(undefined)
    setKey(null)
    setError(error)
  }
  const use = (key: string) => {
    keepKey(key, false)
    setGiven(undefined)
    setKey(key)
  }
  const change = () => {
    forgetTyped()
    use(given!)
  }
  useLayoutEffect(() => {
    // Any site can lead a tab to a key of its own. The person decides, and the question does not change meanwhile.
    const offer = (key: string | undefined) => {
      const own = readKey()
      if (key === undefined || key === own) return
      if (own === null) use(key)
      else setGiven((given) => given ?? key)
    }
    const follow = ({ oldURL }: HashChangeEvent) => offer(takeKey(new URL(oldURL).hash))
    offer(takeKey())
    // Before the listeners of the pages, which then see the address without the key.
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  useEffect(() => {
    if (key) return answerTabs()
    if (isAsking) {
      askTabs().then((key) => {
        // A link may have brought one meanwhile.
        if (key && readKey() === null) use(key)
        setAsking(false)
      })
    }
    return undefined
  }, [key])
  if (!key && isAsking) return html`<main class="sign-in"><p class="loading" role="status">${loading}</p></main>`
  if (!key) return html`<${SignIn} error=${error} onKey=${setKey} />`
  return html`<${SignedIn} key=${key} apiKey=${key} end=${end} given=${given} onChange=${change} onKeep=${() => setGiven(undefined)} />`
}

interface SignedInProps {
  apiKey: string
  end: Session['end']
  given: string | undefined
  onChange: () => void
  onKeep: () => void
}

function SignedIn({ apiKey, end, given, ...answers }: SignedInProps) {
  const session = useLoad(
    () =>
      signIn(apiKey, end).catch((error) => {
        if (error instanceof Unauthorized) end(error)
        throw error
      }),
    [],
  )
  // Outside of the session, which an invalid key of a link must not end.
  const question = given && html`<${GivenKey} given=${given} own=${session.value} ...${answers} />`
  if (session.value) {
    return html`<${SessionContext.Provider} value=${session.value}><${Shell} /><//>${question}`
  }
  return html`<main class="sign-in">
    <${Loading} loaded=${session}>${() => ''}<//>
    ${session.error && html`<button type="button" onClick=${() => end()}>${signInWords.another}</button>`}
  </main>${question}`
}

function SignIn({ error, onKey }: { error: Error | undefined; onKey: (key: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.target as HTMLFormElement)
    const key = String(form.get('key')).trim()
    keepKey(key, form.get('kept') === 'on')
    onKey(key)
  }
  return html`<main class="sign-in">
    <h1>Postroom</h1>
    <form onSubmit=${submit}>
      <label>${signInWords.key} <input name="key" type="password" required pattern="\\s*pr_\\S+\\s*" placeholder="pr_…" autocomplete="off" /></label>
      <label class="check"><input name="kept" type="checkbox" /> ${signInWords.keep}</label>
      <button class="primary">${signInWords.open}</button>
    </form>
    ${error && html`<${Problem} error=${error} />`}
    <p class="small">${sayElements(signInWords.help, { command: html`<code dir="ltr">postroom key create</code>` })}</p>
    <${LanguageChoice} />
  </main>`
}

function Shell() {
  const { path, query } = useRoute()
  const session = useSession()
  const people = useLoadedPeople(path[0]!)
  const pages = PAGES.filter(({ needs }) => hasScope(session, needs))
  const name = path[0] || 'calendar'
  const current = pages.find((page) => page.name === name)
  const isPost = name === 'posts' && path[1] !== undefined
  const title = current ? shell[current.name] : isPost ? shell.post : shell.unknown
  if (name === 'calendar') keep('calendar', { hash: `#/calendar${query.size > 0 ? `?${query}` : ''}` })
  useEffect(() => {
    document.title = `${title} – Postroom`
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    // Screen readers read the page that has the focus.
    return () => focusMain()
  }, [path.join()])
  return html`
    <a class="skip" href="#main" onClick=${focusMain}>${shell.skip}</a>
    <header>
      <strong class="brand">Postroom</strong>
      <nav aria-label=${shell.pages}>
        ${pages.map(
          (page) =>
            html`<a href=${page.name === 'calendar' ? calendarAddress() : `#/${page.name}`} aria-current=${page === current ? 'page' : undefined}>${shell[page.name]}</a>`,
        )}
      </nav>
      <span class="small">${sayElements(shell.person, { user: html`<bdi>${session.userName}</bdi>`, key: html`<bdi>${session.keyName}</bdi>` })}</span>
      <button type="button" class="quiet" onClick=${() => session.end()}>${shell.signOut}</button>
    </header>
    <main id="main" tabindex="-1">
      <${PeopleContext.Provider} value=${people}>
      ${isPost ? html`<${PostPage} key=${path[1]} id=${path[1]} />` : current ? html`<${current.page} />` : html`<h1>${title}</h1><p class="empty">${shell.noPage}</p>`}
      <//>
    </main>
    <${LanguageChoice} />
    <datalist id="zones">${Intl.supportedValuesOf('timeZone').map((zone) => html`<option value=${zone} />`)}</datalist>
  `
}

function focusMain(event?: Event) {
  event?.preventDefault()
  document.getElementById('main')?.focus()
  scrollTo(0, 0)
}

render(html`<${Console} />`, document.getElementById('root')!)
