import type { Teardown } from '../../helpers/database.ts'
import { type FakeNetwork, type Recorded, Refused, type Reply, startFake } from './network.ts'
import {
  type FakePinterestMedia,
  type PinterestMedia,
  receiveFile,
  registerMedia,
  showMedia,
} from './pinterest-media.ts'
import { type FakePinterestOAuth, serveOAuth } from './pinterest-oauth.ts'
import { checkPin, checkTexts, type PinBody } from './pinterest-pins.ts'
import { has, LATE_MS, type Scene, set } from './scene.ts'

export interface PinterestToken {
  scopes: Set<string>
  status: 'active' | 'expired' | 'revoked'
}

interface PinterestBoard {
  id: string
  name: string
  privacy: string
  owner: string
  is_ads_only: boolean
  sections: { id: string; name: string }[]
}

interface Pin extends PinBody {
  id: string
  createdAt: Date
  /** The bytes of its images. */
  images: Buffer[]
  edits: number
}

/** Switches of what nobody documents, or what happens rarely. */
interface PinterestSwitches {
  /** How long a pin is not listed after it was made. */
  listedAfterMs: number
  /** Whether the app has Trial access, as it is since 2025. */
  isTrial: boolean
  /** Whether the app may update pins, which is a beta. */
  isInBeta: boolean
}

export interface FakePinterest extends FakeNetwork, PinterestSwitches, FakePinterestMedia, FakePinterestOAuth {
  credentials: { accessToken: string; refreshToken: string }
  tokens: Map<string, PinterestToken>
  /** Two boards of the account, a board of another user that it may add to, and one for advertisements. */
  boards: PinterestBoard[]
  /** Oldest first. */
  pins: Pin[]
  media: Map<string, PinterestMedia>
  setTime(time: Date): void
}

const API = 'https://api.pinterest.com'
const WWW = 'https://www.pinterest.com'
export const STORAGE = 'https://pinterest-media-upload.s3-accelerate.amazonaws.com'

export const ALL_SCOPES = ['boards:read', 'boards:write', 'pins:read', 'pins:write', 'user_accounts:read']
const USERNAME = 'lighthouses'

/**
 * The shape Error of https://github.com/pinterest/api-description. Codes and words are those that users have quoted.
 */
export function refuse(status: number, code: number, message: string): never {
  throw new Refused({ status, body: { code, message } })
}

/** https://developers.pinterest.com/docs/reference/rate-limits/ names no header. */
export const throttled = (headers: Record<string, string> = {}): Reply => ({
  status: 429,
  headers,
  body: { code: 8, message: 'This request exceeded a rate limit. Please try again later.' },
})

/**
 * Pinterest as https://github.com/pinterest/api-description describes version 5: accounts, boards, sections, pins, the
 * storage of videos, and OAuth. test/sdks holds it to that document.
 */
export async function startPinterest(t: Teardown): Promise<FakePinterest> {
  let clock = () => new Date()
  let count = 0
  const nextId = () => String(1_040_190_845_164_930_000n + BigInt(++count))
  const tokens = new Map<string, PinterestToken>([
    ['pina_t0ken_of_ada', { scopes: new Set(ALL_SCOPES), status: 'active' }],
  ])
  const board = (id: string, name: string, more: Partial<PinterestBoard> = {}): PinterestBoard => ({
    id,
    name,
    privacy: 'PUBLIC',
    owner: USERNAME,
    is_ads_only: false,
    sections: [],
    ...more,
  })
  const boards = [
    board('549755885175', 'Lighthouses', { sections: [{ id: '5258814934636085108', name: 'At dusk' }] }),
    board('549755885176', 'Harbours'),
    board('549755885177', 'Sea', { owner: 'bob' }),
    board('549755885178', 'Ad-only Pins', { privacy: 'PROTECTED', is_ads_only: true }),
  ]
  const pins: Pin[] = []
  const media = new Map<string, PinterestMedia>()
  const oauth = serveOAuth(tokens, () => clock())

  function createPin(call: Recorded): Reply {
    requireScopes(call, 'boards:read', 'boards:write', 'pins:read', 'pins:write')
    if (fake.isTrial) {
      const text = `Apps with Trial access may not create Pins in production ${API} - use API Sandbox https://api-sandbox.pinterest.com instead.`
      refuse(403, 29, text)
    }
    const { body, images } = checkPin(call.body, media)
    const found = findBoard(body.board_id)
    if (found.is_ads_only) refuse(403, 29, 'You are not permitted to access that resource.')
    const { board_section_id: section } = body
    if (section && !found.sections.some(({ id }) => id === section))
      refuse(404, 2031, "Sorry! We couldn't find this board section.")
    call.files = images
    const pin: Pin = { ...body, id: nextId(), createdAt: clock(), images: images.map(({ bytes }) => bytes), edits: 0 }
    pins.push(pin)
    return { status: 201, body: showPin(pin) }
  }

  const findBoard = (id: string) => boards.find((each) => each.id === id) ?? refuse(404, 40, 'Board not found.')

  /** `created_at` has no zone: https://github.com/pinterest/api-quickstart/issues/78 shows a real pin. */
  const showPin = ({ images: _, edits: __, createdAt, media_source: { source_type: type }, ...pin }: Pin) => ({
    title: null,
    description: null,
    link: null,
    alt_text: null,
    board_section_id: null,
    dominant_color: '#e8d3db',
    ...pin,
    created_at: createdAt.toISOString().slice(0, 19),
    board_owner: { username: findBoard(pin.board_id).owner },
    creative_type: type === 'video_id' ? 'VIDEO' : 'REGULAR',
    has_been_promoted: false,
    is_owner: true,
    is_standard: true,
    media: { media_type: type === 'video_id' ? 'video' : type === 'image_base64' ? 'image' : 'multiple_images' },
    parent_pin_id: null,
    pin_metrics: null,
  })

  const findPin = (id: string) => pins.find((pin) => pin.id === id) ?? refuse(404, 50, 'Pin not found.')

  function deletePin(call: Recorded, id: string): Reply {
    requireScopes(call, 'boards:read', 'boards:write', 'pins:read', 'pins:write')
    pins.splice(pins.indexOf(findPin(id)), 1)
    return { status: 204 }
  }

  /** Null clears a text. */
  function updatePin(call: Recorded, id: string): Reply {
    requireScopes(call, 'boards:read', 'boards:write', 'pins:read', 'pins:write')
    if (!fake.isInBeta) refuse(403, 29, 'You are not permitted to access that resource.')
    const pin = findPin(id)
    const texts = checkTexts(call.body)
    const isSame = Object.entries(texts).every(([key, text]) => (pin[key as keyof Pin] ?? null) === text)
    if (!isSame) Object.assign(pin, texts, { edits: pin.edits + 1 })
    return { status: 200, body: showPin(pin) }
  }

  function listPins(call: Recorded, boardId: string, sectionId?: string): Reply {
    requireScopes(call, 'boards:read', 'pins:read')
    findBoard(boardId)
    const isListed = ({ createdAt }: Pin) => createdAt.getTime() + fake.listedAfterMs <= clock().getTime()
    const isIn = (pin: Pin) => pin.board_id === boardId && (!sectionId || pin.board_section_id === sectionId)
    return pageOf(
      call,
      pins
        .filter((pin) => isIn(pin) && isListed(pin))
        .reverse()
        .map(showPin),
    )
  }

  const requireScopes = ({ headers }: Recorded, ...scopes: string[]) => {
    const [, bearer] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
    const token = tokens.get(bearer ?? '')
    if (token?.status !== 'active') refuse(401, 2, 'Authentication failed.')
    if (!scopes.every((scope) => token!.scopes.has(scope))) {
      const words = 'Your token does not have sufficient permissions to perform this operation.'
      refuse(401, 3, `${words} Please ensure your token is authorized with the correct set of scopes.`)
    }
  }

  const showBoard = ({ sections: _, owner, ...board }: PinterestBoard) => ({
    ...board,
    description: '',
    owner: { username: owner },
    pin_count: pins.filter(({ board_id }) => board_id === board.id).length,
  })

  function respond(call: Recorded): Reply {
    const { method, path } = call
    if (call.host === new URL(STORAGE).host) return receiveFile(call, media, fake)
    const login = oauth.respond(call)
    if (login) return login
    const name = `${method} ${path.replaceAll(/\/\d+/g, '/:id')}`
    const [first = '', second] = path.match(/\d{2,}/g) ?? []
    switch (name) {
      case 'GET /v5/user_account':
        requireScopes(call, 'user_accounts:read')
        return {
          status: 200,
          body: {
            id: '2783136121146311751',
            username: USERNAME,
            account_type: 'BUSINESS',
            business_name: 'Lighthouses Ltd',
          },
        }
      case 'GET /v5/boards':
        requireScopes(call, 'boards:read')
        return pageOf(call, boards.map(showBoard))
      case 'GET /v5/boards/:id/sections':
        requireScopes(call, 'boards:read')
        return pageOf(call, findBoard(first).sections)
      case 'GET /v5/boards/:id/pins':
        return listPins(call, first)
      case 'GET /v5/boards/:id/sections/:id/pins':
        return listPins(call, first, second)
      case 'POST /v5/pins':
        return createPin(call)
      case 'GET /v5/pins/:id':
        requireScopes(call, 'boards:read', 'pins:read')
        return { status: 200, body: showPin(findPin(first)) }
      case 'DELETE /v5/pins/:id':
        return deletePin(call, first)
      case 'PATCH /v5/pins/:id':
        return updatePin(call, first)
      case 'POST /v5/media':
        requireScopes(call, 'pins:read', 'pins:write')
        return registerMedia(call, media, nextId())
      case 'GET /v5/media/:id':
        requireScopes(call, 'pins:read')
        return showMedia(first, media, fake)
      default:
        return refuse(404, 4, 'API method not found.')
    }
  }

  const base = await startFake(t, [API, WWW, STORAGE], respond)
  const switches: PinterestSwitches = { listedAfterMs: 0, isTrial: false, isInBeta: true }
  const fake: FakePinterest = Object.assign(base, switches, oauth.switches, {
    processing: 1 as FakePinterestMedia['processing'],
    credentials: { accessToken: 'pina_t0ken_of_ada', refreshToken: 'pinr_t0ken_of_ada' },
    tokens,
    boards,
    pins,
    media,
    setTime: (time: Date) => {
      clock = () => time
    },
  })
  oauth.use(fake)
  return fake
}

/** https://developers.pinterest.com/docs/reference/pagination/: at most 250 items; the last page has no bookmark. */
function pageOf({ query }: Recorded, items: object[]): Reply {
  const size = Number(query.page_size ?? 25)
  if (!Number.isInteger(size) || size < 1 || size > 250) refuse(400, 1, `Invalid page_size: ${query.page_size}`)
  const start = Number(query.bookmark?.replace('from-', '') ?? 0)
  if (!Number.isInteger(start)) refuse(400, 1, 'Invalid bookmark')
  const end = start + size
  return {
    status: 200,
    body: { items: items.slice(start, end), bookmark: end < items.length ? `from-${end}` : null },
  }
}

export const pinterestScene: Scene<FakePinterest> = {
  start: startPinterest,
  origins: ['https://api.pinterest.com', STORAGE],
  account: (pinterest) => ({ username: 'lighthouses', credentials: pinterest.credentials }),
  countVisible: (pinterest) => pinterest.pins.length,
  published: ({ pins }) => {
    const find = (id: string) => pins.find((pin) => pin.id === id)
    return {
      textOf: (id) => find(id) && (find(id)!.description ?? ''),
      editsOf: (id) => find(id)?.edits ?? 0,
      remove: (id) => void pins.splice(pins.indexOf(find(id)!), 1),
    }
  },
  fields: { boardId: '549755885175', coverTimestampSeconds: 1 },
  knownFields: { boardId: ['549755885175'], boardSectionId: ['5258814934636085108'] },
  controls: (pinterest) => {
    const token = pinterest.tokens.get(pinterest.credentials.accessToken)!
    return {
      limited: (seconds) => throttled({ 'retry-after': String(seconds) }),
      secret: pinterest.credentials.accessToken,
      // A 403 is about rights.
      unauthorized: [401],
      revokeToken: () => set(token, { status: 'revoked' }),
      expireToken: () => set(token, { status: 'expired' }),
      showLate: () => set(pinterest, { listedAfterMs: LATE_MS }),
      processes: has('video'),
      process: (looks) => set(pinterest, { processing: looks === 'fails' ? 'DAMAGED' : looks }),
    }
  },
}
