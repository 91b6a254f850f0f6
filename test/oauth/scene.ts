import { createHash, randomBytes } from 'node:crypto'
import { createWorld, type Options, type World } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'

export const APP_REDIRECT = 'https://app.example/callback'

/** The steps of a client of OAuth, and the service that it talks to. */
export interface Scene extends World {
  origin: string
  /** The lines `oauth` of the log. */
  steps: { step: string; reqId: string; clientId?: string; keyId?: string; error?: string }[]
  register(metadata?: object): Promise<string>
  /** The address of an authorization request, and the verifier of its challenge. */
  begin(parameters: Record<string, string | undefined>): { path: string; verifier: string }
  open(path: string): Promise<Page>
  submit(path: string, form: Record<string, string> | [string, string][]): Promise<Page>
  /** Signs in with a key and decides. Returns where the browser is sent. */
  approve(path: string, key: string, decision?: Record<string, string> | [string, string][]): Promise<URL>
  post(path: string, form: Record<string, string | undefined>): Promise<{ status: number; body: Body }>
  /** The whole flow, until the tokens. */
  connect(key: string, options?: ConnectOptions): Promise<Connected>
}

interface ConnectOptions {
  decision?: Record<string, string>
  scope?: string
  resource?: string | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: each endpoint has another body
type Body = any

export interface Connected {
  clientId: string
  code: string
  verifier: string
  tokens: { access_token: string; refresh_token: string; expires_in: number; scope: string }
}

interface Page {
  status: number
  text: string
  location: string | undefined
  headers: Record<string, unknown>
}

export async function createScene(t: Teardown, options: Options = {}): Promise<Scene> {
  let origin = ''
  const steps: Scene['steps'] = []
  const stream = {
    write(line: string) {
      const { msg, ...facts } = JSON.parse(line)
      if (msg === 'oauth') steps.push(facts)
    },
  }
  const world = await createWorld(t, { publicUrl: () => origin, logger: { stream }, ...options })
  const { app } = world
  origin = new URL(await app.listen({ host: '127.0.0.1', port: 0 })).origin

  async function request(method: 'GET' | 'POST', path: string, form?: Record<string, string> | [string, string][]) {
    const reply = await app.inject({
      method,
      url: path,
      ...(form && {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(form).toString(),
      }),
    })
    return { status: reply.statusCode, text: reply.payload, location: reply.headers.location, headers: reply.headers }
  }

  const scene: Scene = {
    ...world,
    get origin() {
      return origin
    },
    steps,
    async register(metadata = { client_name: 'Test app', redirect_uris: [APP_REDIRECT] }) {
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/oauth/register', payload: metadata })
      if (statusCode !== 201) throw new Error(body)
      return JSON.parse(body).client_id
    },
    begin(parameters) {
      const verifier = randomBytes(32).toString('base64url')
      const query = {
        response_type: 'code',
        redirect_uri: APP_REDIRECT,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        state: 'the-state',
        resource: `${origin}/api/v1`,
        ...parameters,
      }
      const present = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return { path: `/oauth/authorize?${new URLSearchParams(present)}`, verifier }
    },
    open: (path) => request('GET', path),
    submit: (path, form) => request('POST', path, form),
    async approve(path, key, decision = {}) {
      await scene.open(path)
      const page = await scene.submit(path, { key })
      const proof = /name="proof" value="(\w+)"/.exec(page.text)?.[1]
      if (!proof) throw new Error(page.text)
      const entries = Array.isArray(decision) ? decision : Object.entries({ decision: 'allow', ...decision })
      const { location, text } = await scene.submit(path, [['proof', proof], ...entries])
      if (location === undefined) throw new Error(text)
      return new URL(location)
    },
    async post(path, form) {
      const present = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const { status, text } = await scene.submit(path, present)
      const body = text === '' ? undefined : JSON.parse(text)
      return { status, body }
    },
    async connect(key, { decision, ...parameters } = {}) {
      const clientId = await scene.register()
      const { path, verifier } = scene.begin({ client_id: clientId, ...parameters })
      const code = (await scene.approve(path, key, decision)).searchParams.get('code')!
      const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
      const { status, body } = await scene.post('/oauth/token', form)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return { clientId, code, verifier, tokens: body }
    },
  }
  return scene
}
