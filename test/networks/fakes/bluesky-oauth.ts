import { createHash, type JsonWebKey, randomUUID } from 'node:crypto'
import type { Teardown } from '../../helpers/database.ts'
import { createProofCheck, readJwt } from '../../helpers/dpop-proofs.ts'
import { type FakeNetwork, type Recorded, Refused, type Reply, startFake } from './network.ts'

export const ADA = { did: 'did:plc:ewvi7nxzyoun6zhxrhs64oiz', handle: 'ada.example.com', server: 'https://pds.example' }
export const BOB = { did: 'did:plc:44ybard66vv44zksje25o7dz', handle: 'bob.example.com', server: 'https://bob.example' }
const ISSUER = 'https://auth.example'

/** A session: its refresh token works once, and using it again ends the session. */
interface Grant {
  did: string
  scope: string
  thumbprint: string
  clientId: string
  kid: string | undefined
  access: string
  refresh: string
  isRevoked: boolean
}

type Form = Record<string, string | undefined>

export interface FakeBlueskyOAuth extends FakeNetwork {
  issuer: string
  handles: Map<string, string>
  /** DID documents by DID. */
  documents: Map<string, object>
  /** Metadata by address. Tests change it. */
  metadata: Map<string, Record<string, unknown>>
  /** The public keys of the client, by their ids; none for a public client. */
  clientKeys: Map<string, JsonWebKey>
  /** The parameters of the last pushed request. */
  pushed: Form
  /** Added to each token response. */
  tokenFields: Record<string, unknown>
  /** Whether the authorization server sends nonces. */
  sendsNonces: boolean
  posts: Map<string, unknown>
  /** Changes the nonces of all servers. */
  rotateNonces(): void
  /** The parameters that the page of the server adds to the redirect URI after `did` has consented. */
  consent(authorizationUrl: URL, did?: string): URLSearchParams
}

const documentOf = ({ did, handle, server }: typeof ADA) => ({
  id: did,
  alsoKnownAs: [`at://${handle}`],
  service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: server }],
})

const authorizationServer = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  pushed_authorization_request_endpoint: `${issuer}/oauth/par`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  require_pushed_authorization_requests: true,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  scopes_supported: ['atproto', 'transition:generic'],
  dpop_signing_alg_values_supported: ['ES256'],
})

const deny = (error: string, description = error): never => {
  throw new Refused({ status: 400, body: { error, error_description: description } })
}

/**
 * Identities, an authorization server and a PDS, by https://atproto.com/specs/oauth and https://atproto.com/specs/did.
 */
export async function startBlueskyOAuth(t: Teardown): Promise<FakeBlueskyOAuth> {
  const proofs = { issuer: createProofCheck(false), pds: createProofCheck(true) }
  const requests = new Map<string, Form & { thumbprint: string; kid: string | undefined }>()
  const codes = new Map<string, { did: string; request: string; isUsed: boolean }>()
  const grants: Grant[] = []
  const assertions = new Set<unknown>()

  /** The id of the key that a confidential client signed with. */
  function authenticate(form: Form): string | undefined {
    if (fake.clientKeys.size === 0) return undefined
    const assertion = form.client_assertion ?? deny('invalid_client')
    const kid = JSON.parse(Buffer.from(assertion.split('.')[0]!, 'base64url').toString()).kid
    const { claims } = readJwt(assertion, fake.clientKeys.get(kid) ?? deny('invalid_client', 'Unknown key'))
    if (claims.iss !== form.client_id || claims.aud !== ISSUER || assertions.has(claims.jti)) deny('invalid_client')
    assertions.add(claims.jti)
    return kid
  }

  const respondWith = (grant: Grant): Reply => {
    Object.assign(grant, { access: `access-${randomUUID()}`, refresh: `refresh-${randomUUID()}` })
    const { access, refresh, scope, did } = grant
    const body = { access_token: access, refresh_token: refresh, token_type: 'DPoP', expires_in: 3600, scope, sub: did }
    return { status: 200, body: { ...body, ...fake.tokenFields } }
  }

  function requestTokens(form: Form, thumbprint: string, kid: string | undefined): Reply {
    if (form.grant_type === 'refresh_token') {
      const grant = grants.find(
        (grant) => spent.get(form.refresh_token) === grant || grant.refresh === form.refresh_token,
      )
      if (!grant || grant.isRevoked) return deny('invalid_grant', 'Invalid refresh token')
      const isReplayed = grant.refresh !== form.refresh_token
      const isOther = grant.thumbprint !== thumbprint || grant.clientId !== form.client_id || grant.kid !== kid
      if (isReplayed || isOther) grant.isRevoked = true
      if (isReplayed) deny('invalid_grant', 'Refresh token replayed')
      if (isOther) deny('invalid_grant', 'Client authentication mismatch')
      spent.set(form.refresh_token, grant)
      return respondWith(grant)
    }
    const code = codes.get(form.code ?? '')
    const request = code && requests.get(code.request)
    if (!code || !request || code.isUsed) return deny('invalid_grant', 'Invalid code')
    code.isUsed = true
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url')
    const isSame =
      request.code_challenge === challenge &&
      request.redirect_uri === form.redirect_uri &&
      request.client_id === form.client_id &&
      request.thumbprint === thumbprint &&
      request.kid === kid
    if (!isSame) deny('invalid_grant', 'The request was another one')
    const grant = { did: code.did, scope: request.scope!, thumbprint, clientId: form.client_id!, kid }
    grants.push({ ...grant, access: '', refresh: '', isRevoked: false })
    return respondWith(grants.at(-1)!)
  }
  const spent = new Map<string | undefined, Grant>()

  function push(form: Form, thumbprint: string, kid: string | undefined): Reply {
    const isWhole = form.response_type === 'code' && form.state && form.code_challenge_method === 'S256'
    if (!isWhole || !form.scope?.split(' ').includes('atproto')) return deny('invalid_request')
    const uri = `urn:ietf:params:oauth:request_uri:${randomUUID()}`
    requests.set(uri, { ...form, thumbprint, kid })
    fake.pushed = form
    return { status: 201, body: { request_uri: uri, expires_in: 299 } }
  }

  /** RFC 7009 */
  function revoke({ token, client_id: clientId }: Form, _thumbprint: string, kid: string | undefined): Reply {
    const grant = grants.find(({ access, refresh }) => [access, refresh].includes(token ?? ''))
    if (grant && (grant.clientId !== clientId || grant.kid !== kid)) deny('invalid_grant', 'Token of another client')
    if (grant) grant.isRevoked = true
    return { status: 200, body: {} }
  }

  const withNonce = (reply: Reply, nonce: string): Reply => ({ ...reply, headers: { 'dpop-nonce': nonce } })

  function respondAsIssuer({ method, path, headers, body }: Recorded): Reply {
    const { state, check } = proofs.issuer
    const thumbprint = check(method, `${ISSUER}${path}`, headers)
    const kid = authenticate(body as Form)
    const respond = path === '/oauth/par' ? push : path === '/oauth/revoke' ? revoke : requestTokens
    const reply = respond(body as Form, thumbprint, kid)
    return fake.sendsNonces ? withNonce(reply, state.nonce) : reply
  }

  function respondAsPds({ method, path, headers, query, body, files }: Recorded): Reply {
    const name = path.replace('/xrpc/', '')
    if (name === 'com.atproto.repo.getRecord') {
      const value = query.collection === 'app.bsky.actor.profile' ? { displayName: 'Ada' } : fake.posts.get(query.rkey!)
      if (!value) throw new Refused({ status: 400, body: { error: 'RecordNotFound', message: 'Not found' } })
      return { status: 200, body: { uri: `at://${ADA.did}/${query.collection}/${query.rkey}`, cid: 'bafy', value } }
    }
    if (name === 'com.atproto.server.describeServer') {
      return { status: 200, body: { did: 'did:web:pds.example', availableUserDomains: [], blobUploadLimit: 1_000_000 } }
    }
    const { state, check, refuse } = proofs.pds
    const token = /^DPoP (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    const thumbprint = check(method, `${ADA.server}${path}`, headers, token)
    const grant = grants.find(({ access }) => access === token)
    if (!grant || grant.isRevoked || grant.thumbprint !== thumbprint) return refuse('invalid_token', 'Invalid token')
    if (name === 'com.atproto.repo.putRecord') {
      const { rkey, collection, record } = body as { rkey: string; collection: string; record: unknown }
      fake.posts.set(rkey, record)
      return withNonce(
        { status: 200, body: { uri: `at://${grant.did}/${collection}/${rkey}`, cid: 'bafy' } },
        state.nonce,
      )
    }
    const blob = { $type: 'blob', ref: { $link: 'bafkrei' }, mimeType: files[0]?.type, size: files[0]?.bytes.length }
    return withNonce({ status: 200, body: files.length > 0 ? { blob } : { did: grant.did } }, state.nonce)
  }

  const origins = ['https://public.api.bsky.app', 'https://plc.directory', 'https://bsky.social', ISSUER]
  const network = await startFake(t, [...origins, ADA.server, BOB.server, 'https://ada.example.com'], (call) => {
    const { host, path, query } = call
    if (host === 'public.api.bsky.app') {
      const did = fake.handles.get(query.handle ?? '')
      if (did) return { status: 200, body: { did } }
      return { status: 400, body: { error: 'InvalidRequest', message: 'Unable to resolve handle' } }
    }
    const document =
      host === 'plc.directory' ? fake.documents.get(path.slice(1)) : fake.metadata.get(`https://${host}${path}`)
    if (document) return { status: 200, body: document }
    if (path.startsWith('/oauth/')) return respondAsIssuer(call)
    if (path.startsWith('/xrpc/')) return respondAsPds(call)
    return { status: 404, body: { message: 'Not found' } }
  })
  const resource = (server: string) => ({ resource: server, authorization_servers: [ISSUER] })
  const fake: FakeBlueskyOAuth = {
    ...network,
    issuer: ISSUER,
    handles: new Map([ADA, BOB].map(({ handle, did }) => [handle, did])),
    documents: new Map([ADA, BOB].map((account) => [account.did, documentOf(account)])),
    metadata: new Map<string, Record<string, unknown>>([
      [`${ADA.server}/.well-known/oauth-protected-resource`, resource(ADA.server)],
      [`${BOB.server}/.well-known/oauth-authorization-server`, authorizationServer(BOB.server)],
      [`${ISSUER}/.well-known/oauth-authorization-server`, authorizationServer(ISSUER)],
      ['https://bsky.social/.well-known/oauth-protected-resource', resource('https://bsky.social')],
    ]),
    clientKeys: new Map(),
    pushed: {},
    tokenFields: {},
    sendsNonces: true,
    posts: new Map(),
    rotateNonces() {
      for (const { state } of Object.values(proofs)) state.nonce = `nonce-${randomUUID()}`
    },
    consent(authorizationUrl, did = ADA.did) {
      const request = authorizationUrl.searchParams.get('request_uri')!
      const code = `code-${randomUUID()}`
      codes.set(code, { did, request, isUsed: false })
      return new URLSearchParams({ code, state: requests.get(request)!.state!, iss: ISSUER })
    },
  }
  return fake
}
