import t from 'tap'
import {
  failureOf,
  identify,
  io,
  METHODS,
  newCredentials,
  refuse,
  SERVER,
  scriptedBluesky,
} from '../helpers/scripted-bluesky.ts'

// Anyone can run a server that accepts every password, and names the account of somebody else.

const VICTIM = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const HOME = 'https://home.example'
const RESOURCE = '/.well-known/oauth-protected-resource'

const documentOf = (did: string, server: string) => ({
  id: did,
  alsoKnownAs: ['at://victim.example'],
  service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: server }],
})

/** A server at SERVER that names `did`, and a directory that names `home` as the server of it. */
function createNetwork({ did = VICTIM, home = HOME, didDoc = undefined as unknown, issuer = HOME }) {
  const document = did.startsWith('did:web:') ? '/.well-known/did.json' : `/${did}`
  return scriptedBluesky({
    [METHODS.session]: () => Response.json({ did, handle: 'victim.example', accessJwt: 'a session', didDoc }),
    [document]: () => Response.json(documentOf(did, home)),
    [RESOURCE]: ({ url }) => Response.json({ resource: url.origin, authorization_servers: [issuer] }),
    [METHODS.get]: refuse(400, 'RecordNotFound'),
  })
}

t.test('a server cannot claim the account of another one', async (t) => {
  const claims = [
    createNetwork({}),
    createNetwork({ didDoc: documentOf(VICTIM, SERVER) }),
    createNetwork({ didDoc: documentOf(VICTIM, HOME) }),
    createNetwork({ did: 'did:web:home.example' }),
    createNetwork({ issuer: 'https://bsky.social' }),
  ]
  for (const [index, network] of claims.entries()) {
    const failure = await failureOf(identify(newCredentials(), io(network.fetch)))
    t.has(failure, { code: 'unauthorized', retryable: false, maybeSent: false }, `claim ${index}`)
    t.match(failure.message, /^pds\.example is not the server of did:/, `claim ${index}`)
  }
})

t.test('a DID that the directory does not know, or of another method, is refused', async (t) => {
  const network = scriptedBluesky({
    [METHODS.session]: () => Response.json({ did: VICTIM, handle: 'victim.example', accessJwt: 'a session' }),
    [`/${VICTIM}`]: () => Response.json({ message: `DID not registered: ${VICTIM}` }, { status: 404 }),
  })
  t.has(await failureOf(identify(newCredentials(), io(network.fetch))), { retryable: false, maybeSent: false })
  const other = createNetwork({ did: 'did:key:z6Mk' })
  t.has(await failureOf(identify(newCredentials(), io(other.fetch))), { code: 'unauthorized', retryable: false })
})

t.test(
  'the server that the DID document names may speak for it, and so may the one that signs in for that server',
  async (t) => {
    const own = createNetwork({ home: SERVER })
    t.match(await identify(newCredentials(), io(own.fetch)), { externalId: VICTIM })
    t.notOk(
      own.calls.some(({ method }) => method === RESOURCE),
      'nothing else has to be asked',
    )
    const entryway = createNetwork({ didDoc: documentOf(VICTIM, HOME), issuer: SERVER })
    t.match(await identify(newCredentials(), io(entryway.fetch)), { externalId: VICTIM })
  },
)

t.test('a directory that is away is a temporary failure', async (t) => {
  const network = scriptedBluesky({ [`/${VICTIM}`]: () => new Response('', { status: 503 }) })
  t.has(await failureOf(identify(newCredentials(), io(network.fetch))), { retryable: true, maybeSent: false })
})
