import type { FastifyInstance } from 'fastify'
import type { Person, Reply } from './app.ts'
import { recordSecrets } from './log-record.ts'
import { until } from './until.ts'

/** The response of a page to a browser. */
interface PageReply {
  status: number
  body: string
  location: string | undefined
  headers: Record<string, unknown>
}

interface TestBrowser {
  /** Opens a page of the service, given as a path or a URL, and keeps its cookies. Follows no redirect. */
  get(url: string): Promise<PageReply>
  post(path: string, form: URLSearchParams): Promise<PageReply>
}

/**
 * A browser with cookies that sends its requests to `app`, whatever the host. It loads a page again that exceeded the
 * time limit of its request, as a person does.
 */
export function createBrowser(app: FastifyInstance): TestBrowser {
  const cookies = new Map<string, string>()

  const request = (method: 'GET' | 'POST', { pathname, search }: URL, payload?: string) =>
    app.inject({
      method,
      url: pathname + search,
      headers: {
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(payload !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(payload !== undefined && { payload }),
    })

  async function send(method: 'GET' | 'POST', target: string, payload?: string): Promise<PageReply> {
    const url = new URL(target, 'http://localhost')
    const reply = await untilCarriedOut(
      () => request(method, url, payload),
      ({ statusCode }) => statusCode,
    )
    for (const { name, value } of reply.cookies) {
      cookies.set(name, value)
      recordSecrets('credentials', value)
    }
    const { statusCode: status, body, headers } = reply
    return { status, body, headers, location: headers.location as string | undefined }
  }

  return { get: (url) => send('GET', url), post: (path, form) => send('POST', path, String(form)) }
}

/** On a busy machine, a request may exceed its time limit. Clients repeat it. */
const untilCarriedOut = <T>(send: () => Promise<T>, statusOf: (reply: T) => number): Promise<T> =>
  until('the request is carried out', send, { isMet: (reply) => statusOf(reply) !== 503 })

/** The person, who repeats requests that exceed their time limit. */
export const repeating = (person: Person): Person => ({
  ...person,
  call: (...request) =>
    untilCarriedOut(
      () => person.call(...request),
      ({ status }) => status,
    ),
})

/** Consents on the network's page. Returns the address to which the network sends the browser back. */
export type Consent = (authorizationUrl: URL) => URL | Promise<URL>

/**
 * Connects accounts of a network by OAuth through the API and the pages, as a person does in a browser. `consent`
 * stands for the page of the network. Returns the connection as `GET /connections/:id` shows it.
 */
export async function connectByOAuth(
  app: FastifyInstance,
  person: Person,
  body: { platform: string; [key: string]: unknown },
  consent: Consent,
): Promise<Reply['body']> {
  const { call } = repeating(person)
  const created = await call('POST', '/connections', body)
  if (created.status !== 201) throw new Error(created.body.error)
  const browser = createBrowser(app)
  const opened = await browser.get(created.body.url)
  if (opened.status !== 303) throw new Error(`The link responded with ${opened.status}: ${opened.body}`)
  await browser.get(String(await consent(new URL(opened.location!))))
  return (await call('GET', `/connections/${created.body.id}`)).body
}

/**
 * The consent page of a network that reads its users' minds: it redirects with a code, or with `parameters` instead.
 */
export const redirectBack =
  (parameters: Record<string, string> = { code: 'the-code' }): Consent =>
  (authorizationUrl) => {
    const { searchParams } = authorizationUrl
    const url = new URL(searchParams.get('redirect_uri')!)
    for (const [name, value] of Object.entries({ ...parameters, state: searchParams.get('state')! })) {
      url.searchParams.set(name, value)
    }
    return url
  }
