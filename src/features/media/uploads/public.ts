import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { currentBudget } from '../../../../db/budget.ts'
import type { FileKey } from '../../../../db/queries/uploads.ts'
import type { Upload } from '../../../../schemas/upload.ts'
import { AppError } from '../../../base/errors.ts'
import { allowLongBody } from '../../../base/http/long-bodies.ts'
import { useStrangersShare } from '../../../base/http/pages.ts'
import type { Keyring } from '../../../base/keyring/keyring.ts'
import type { Library } from '../library.ts'
import { addressedUpload } from './address.ts'
import { receiveUpload, UploadOffset } from './receive.ts'
import { requireUpload, toUpload } from './show.ts'

const PATH = '/files/uploads/:userId/:id'
const HIDDEN = { schema: { hide: true } }

/**
 * Takes the bytes of files at signed addresses, which replace the API key. Pages of any origin may send them: the
 * address is all that they need.
 */
export async function publicUploads(
  app: FastifyInstance,
  { keyring, ...library }: Library & { keyring: Keyring | undefined },
): Promise<void> {
  app.addHook('onRequest', useStrangersShare)
  // After the hooks of CORS, which knows the pages of the operator alone.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.headers({
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, PUT',
      'access-control-allow-headers': 'content-range, content-type',
      'access-control-expose-headers': 'upload-offset, upload-complete, x-error-code, x-request-id, retry-after',
      'access-control-max-age': '7200',
      'cross-origin-resource-policy': 'cross-origin',
    })
    done()
  })
  // The handler reads the body.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  const find = ({ url }: FastifyRequest): FileKey => addressedUpload(url, keyring)

  app.options(PATH, HIDDEN, (_request, reply) => reply.code(204).send())

  app.get(PATH, HIDDEN, async (request, reply) => {
    const file = find(request)
    return send(reply, toUpload(file.id, await requireUpload(library, file), library.bytesMax))
  })

  app.put(PATH, HIDDEN, async (request, reply) => {
    const file = find(request)
    const { raw, headers } = request
    const { 'content-length': length, 'content-range': contentRange } = headers
    // Only a request whose address this service has signed may take its time.
    allowLongBody(request, reply)
    try {
      const upload = await receiveUpload(library, file, {
        body: raw,
        length: length === undefined ? lengthWithout(headers) : Number(length),
        contentRange,
        budget: currentBudget() && { ...currentBudget()! },
      })
      return send(reply, upload)
    } catch (error) {
      raw.resume()
      if (error instanceof UploadOffset) reply.header('upload-offset', String(error.receivedBytes))
      if (error instanceof AppError && error.code === 'upload_busy') reply.header('retry-after', '1')
      throw error
    }
  })
}

/** A request without a length has no body, unless it is sent in chunks. */
const lengthWithout = (headers: FastifyRequest['headers']) =>
  headers['transfer-encoding'] === undefined ? 0 : undefined

function send(reply: FastifyReply, upload: Upload): FastifyReply {
  reply.headers({
    'upload-offset': String(upload.receivedBytes),
    'upload-complete': `?${Number(upload.state === 'ready')}`,
  })
  return reply.send(upload)
}
