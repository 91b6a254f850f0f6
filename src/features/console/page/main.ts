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

const PAGES = [
  { name: 'calendar', label: 'Calendar', page: Calendar, needs: 'posts:read' },
  { name: 'compose', label: 'Compose', page: Compose, needs: 'posts:write' },
  { name: 'media', label: 'Media', page: MediaPage, needs: 'media:read' },
  { name: 'numbers', label: 'Numbers', page: Numbers, needs: 'posts:read' },
  { name: 'accounts', label: 'Accounts', page: Accounts, needs: 'accounts:read' },
  { name: 'activity', label: 'Activity', page: Activity, needs: 'posts:read' },
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
  if (!key && isAsking) return html`<main class="sign-in"><p class="loading" role="status">Loading…</p></main>`
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
    ${session.error && html`<button type="button" onClick=${() => end()}>Use another key</button>`}
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
      <label>API key <input name="key" type="password" required pattern="\\s*pr_\\S+\\s*" placeholder="pr_…" autocomplete="off" /></label>
      <label class="check"><input name="kept" type="checkbox" /> Keep it in this browser. Otherwise it is forgotten with this tab.</label>
      <button class="primary">Open</button>
    </form>
    ${error && html`<${Problem} error=${error} />`}
    <p class="small">The console shows what the key allows. <code>postroom key create</code> makes one.</p>
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
  const title = current?.label ?? (isPost ? 'Post' : 'Not found')
  if (name === 'calendar') keep('calendar', { hash: `#/calendar${query.size > 0 ? `?${query}` : ''}` })
  useEffect(() => {
    document.title = `${title} – Postroom`
    // Screen readers read the page that has the focus.
    return () => focusMain()
  }, [path.join()])
  return html`
    <a class="skip" href="#main" onClick=${focusMain}>To the content</a>
    <header>
      <strong class="brand">Postroom</strong>
      <nav aria-label="Pages">
        ${pages.map(
          (page) =>
            html`<a href=${page.name === 'calendar' ? calendarAddress() : `#/${page.name}`} aria-current=${page === current ? 'page' : undefined}>${page.label}</a>`,
        )}
      </nav>
      <span class="small"><bdi>${session.userName}</bdi>, key <bdi>${session.keyName}</bdi></span>
      <button type="button" class="quiet" onClick=${() => session.end()}>Sign out</button>
    </header>
    <main id="main" tabindex="-1">
      <${PeopleContext.Provider} value=${people}>
      ${isPost ? html`<${PostPage} key=${path[1]} id=${path[1]} />` : current ? html`<${current.page} />` : html`<h1>${title}</h1><p class="empty">There is no such page, or the key does not allow it.</p>`}
      <//>
    </main>
    <datalist id="zones">${Intl.supportedValuesOf('timeZone').map((zone) => html`<option value=${zone} />`)}</datalist>
  `
}

function focusMain(event?: Event) {
  event?.preventDefault()
  document.getElementById('main')?.focus()
  scrollTo(0, 0)
}

render(html`<${Console} />`, document.getElementById('root')!)
