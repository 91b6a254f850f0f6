import type { Recorded } from './network.ts'
import { refuse } from './pinterest.ts'
import type { PinterestMedia } from './pinterest-media.ts'

interface Image {
  content_type: string
  data: string
}

/** The schema PinCreate of https://github.com/pinterest/api-description. */
export interface PinBody {
  board_id: string
  board_section_id?: string
  title?: string
  description?: string
  link?: string
  alt_text?: string
  dominant_color?: string
  /** Newer than the part of the document in test/samples. */
  ai_disclosures?: { values: string[] }
  media_source: { source_type: string; media_id?: string; items?: Image[] } & Record<string, unknown>
}

const LENGTHS = { title: 100, description: 800, link: 2048, alt_text: 500 } as const
const FIELDS = [
  'board_id',
  'board_section_id',
  ...Object.keys(LENGTHS),
  'dominant_color',
  'ai_disclosures',
  'media_source',
]

const COVERS = ['cover_image_url', 'cover_image_key_frame_time', 'cover_image_data']
const SOURCES: Record<string, string[]> = {
  image_base64: ['source_type', 'content_type', 'data', 'is_standard'],
  multiple_image_base64: ['source_type', 'items', 'index'],
  video_id: ['source_type', 'media_id', 'is_standard', 'cover_image_content_type', ...COVERS],
}

const wrong = (message: string): never => refuse(400, 1, `Invalid request: ${message}`)

/** Checks the body of `POST /pins`, and the images in it. */
export function checkPin(json: unknown, media: Map<string, PinterestMedia>) {
  const body = json as PinBody
  for (const key of Object.keys(body ?? {})) if (!FIELDS.includes(key)) wrong(`'${key}' is an unknown property`)
  for (const key of ['board_id', 'board_section_id'] as const) {
    const id = body[key]
    if (id === undefined && key === 'board_section_id') continue
    if (typeof id !== 'string' || !/^\d+$/.test(id)) wrong(`${JSON.stringify(id)} does not match '^\\d+$'`)
  }
  checkLengths({ ...body })
  if (body.dominant_color !== undefined && !/^#[0-9a-f]{6}$/i.test(body.dominant_color)) wrong('dominant_color')
  const { values } = body.ai_disclosures ?? { values: [] }
  if (!values.every((value) => ['AI_MODIFIED', 'SYNTHETIC_PERFORMER'].includes(value))) wrong('ai_disclosures')
  const { media_source: source } = body
  const allowed = SOURCES[source?.source_type] ?? wrong('media_source')
  for (const key of Object.keys(source)) if (!allowed.includes(key)) wrong(`'${key}' is an unknown property`)
  if (source.source_type === 'video_id') {
    checkVideo(source, media)
    return { body, images: [] }
  }
  const items = source.source_type === 'image_base64' ? [source as unknown as Image] : (source.items ?? [])
  if (source.items && (items.length < 2 || items.length > 5)) wrong(`${items.length} items, minItems=2, maxItems=5`)
  return { body, images: items.map(readImage) }
}

function checkLengths(texts: Partial<Record<string, unknown>>): void {
  for (const [key, max] of Object.entries(LENGTHS)) {
    const text = texts[key]
    if (text === undefined) continue
    if (typeof text !== 'string' || [...text].length > max) wrong(`'${key}' is too long`)
  }
}

/** Checks the body of `PATCH /pins/{pin_id}`, the schema PinUpdate. */
export function checkTexts(json: unknown): Partial<Record<keyof typeof LENGTHS, string | null>> {
  const body = json as Record<string, string | null>
  for (const key of Object.keys(body)) if (!(key in LENGTHS)) wrong(`'${key}' is an unknown property`)
  checkLengths(Object.fromEntries(Object.entries(body).filter(([, text]) => text !== null)))
  return body
}

function readImage({ content_type: type, data }: Image, index: number): Recorded['files'][number] {
  if (!['image/jpeg', 'image/png'].includes(type)) wrong(`'${type}' is not one of ['image/jpeg', 'image/png']`)
  if (!/^[a-zA-Z0-9+/=]+$/.test(data)) wrong("data does not match '^[a-zA-Z0-9+/=]+$'")
  return { field: 'data', name: `${index}`, type, bytes: Buffer.from(data, 'base64') }
}

function checkVideo(source: PinBody['media_source'], media: Map<string, PinterestMedia>): void {
  const covers = COVERS.filter((key) => source[key] !== undefined)
  if (covers.length !== 1) wrong('missing cover_image_url or cover_image_content_type')
  const { cover_image_key_frame_time: time, cover_image_url: url } = source
  if (time !== undefined && (!Number.isInteger(time) || Number(time) < 0)) wrong('cover_image_key_frame_time')
  if (url !== undefined && !URL.canParse(String(url))) wrong('cover_image_url')
  if (media.get(source.media_id ?? '')?.status !== 'succeeded') wrong(`media ${source.media_id} is not ready`)
}
