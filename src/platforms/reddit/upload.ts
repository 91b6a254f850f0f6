import { Readable } from 'node:stream'
import type { Act } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, PublishError, unexpected } from '../contract/publish-error.ts'
import { list, object, TEXT } from '../wire/answer.ts'
import { type NetworkRules, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { type Content, fileName } from '../wire/request-body.ts'
import { sendForm } from '../wire/storage-form.ts'
import { type Client, HOST } from './client.ts'
import type { Asset } from './post.ts'

/** After this many bytes, the progress is stored with the delivery. A file goes out in one piece. */
const STORE_EVERY_BYTES = 33_554_432

type File = { name: string; content: Content }

/**
 * Uploads the files of an act, from where an earlier call stopped. `isComplete` is false if the progress has to be
 * stored before it goes on.
 */
export async function uploadFiles(
  client: Client,
  act: Act,
  io: Io,
  saved: readonly Asset[],
): Promise<{ assets: Asset[]; isComplete: boolean }> {
  const assets = [...saved]
  const files = filesOf(act)
  let bytes = 0
  while (assets.length < files.length) {
    const { name, content } = files[assets.length]!
    if (bytes > 0 && bytes + content.bytes > STORE_EVERY_BYTES) return { assets, isComplete: false }
    assets.push(await upload(client, io, name, content))
    bytes += content.bytes
  }
  return { assets, isComplete: true }
}

/** The files of the post. A video has a poster behind it. */
function filesOf({ media }: Act): File[] {
  const files = media.map((file, index) => ({ name: fileName(file, index), content: file }))
  return media[0]?.kind === 'video' ? [...files, POSTER] : files
}

/**
 * Reddit requires a poster for a video, and posts have none: a dark image of 640 by 360 pixels. It is shown until the
 * video plays. Clients such as PRAW send their logo: https://github.com/praw-dev/praw/tree/main/praw/images
 */
const POSTER_BYTES = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAoAAAAFoAQMAAAD9/NgSAAAAA1BMVEUaGhuMgyhLAAAAMklEQVR42u3BAQ0AAADCoPdP7ewBFAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA3cegAATDOVLsAAAAASUVORK5CYII=',
  'base64',
)
const POSTER: File = {
  name: 'poster.png',
  content: { mimeType: 'image/png', bytes: POSTER_BYTES.length, open: async () => Readable.from([POSTER_BYTES]) },
}

/**
 * Leases an asset, and sends its content to the storage of Reddit. Neither call is on Reddit's pages:
 * https://github.com/praw-dev/praw/blob/main/praw/models/media.py
 */
async function upload(client: Client, io: Io, filepath: string, content: Content): Promise<Asset> {
  const body = await lease(client, filepath, content.mimeType)
  const id = textAt(body, 'asset', 'asset_id')
  const action = textAt(body, 'args', 'action')
  const fields = fieldsOf(at(body, 'args', 'fields'))
  const address = URL.parse(`https:${action}`)
  if (!id || !fields?.key || !action?.startsWith('//') || !address) throw unexpected(client.host, false)
  const storage: NetworkRules = {
    host: address.host,
    secrets: [],
    // Its errors are XML, which is not read. After a 403, as for a lease that has ended, the upload is repeated.
    words: () => undefined,
    errors: [],
    isStorage: true,
  }
  // The call has no token of the account. The file has to be the last field.
  try {
    await sendForm(storage, io, address, fields, { field: 'file', name: filepath, file: content })
  } catch (error) {
    throw explainStorage(error, filepath)
  }
  return { id, url: `${address.href.replace(/\/$/, '')}/${fields.key}` }
}

const LEASE = object({
  asset: object({ asset_id: TEXT }),
  args: object({ action: TEXT, fields: list(object({ name: TEXT, value: TEXT })) }),
})

/** The address and the form for one file. Reddit refuses types that it does not take with status 400. */
async function lease(client: Client, filepath: string, mimetype: string): Promise<unknown> {
  const form = new URLSearchParams({ filepath, mimetype })
  try {
    return (await client.call('/api/media/asset.json', { method: 'POST', body: form, answer: LEASE })).body
  } catch (error) {
    if (!(error instanceof Refused) || error.refusal.status !== 400) throw error
    throw impossible(`${error.message}. It may not accept files of the type ${mimetype}`)
  }
}

function explainStorage(error: unknown, file: string): unknown {
  if (error instanceof Refused) {
    const { status } = error.refusal
    return impossible(`${HOST}: its storage refused ${file} with status ${status}. The file may be too large`)
  }
  // A storage that has moved says nothing about the account. The next lease has the new address.
  if (error instanceof PublishError && error.needsAttention) return unexpected(HOST, false)
  return error
}

/** The fields of a form, in order; undefined if they are not safe to send. */
function fieldsOf(list: unknown): Record<string, string> | undefined {
  if (!Array.isArray(list)) return undefined
  const fields = list.map((field) => [textAt(field, 'name') ?? '', textAt(field, 'value') ?? ''] as const)
  const isSafe = fields.every(([name, value]) => /^[\w-]+$/.test(name) && !/[\r\n]/.test(value))
  return isSafe ? Object.fromEntries(fields) : undefined
}
