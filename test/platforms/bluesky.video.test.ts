import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import {
  act,
  attempt,
  DID,
  failureOf,
  io,
  METHODS,
  newCredentials,
  scriptedBluesky,
  send,
  video,
} from '../helpers/scripted-bluesky.ts'

const blob = { $type: 'blob', ref: { $link: 'bafk' }, mimeType: 'video/mp4', size: 5 }

t.test('a video goes through the video service, with its length and on behalf of the account', async (t) => {
  const received: { length: string | undefined; type: string | undefined; body: string }[] = []
  const service = createServer(async (request, response) => {
    const { 'content-length': length, 'content-type': type } = request.headers
    received.push({ length, type, body: (await buffer(request)).toString() })
    response.end(JSON.stringify({ jobId: 'j1', did: DID, state: 'JOB_STATE_CREATED' }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => service.close())
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo

  const network = scriptedBluesky({
    [METHODS.uploadVideo]: ({ url, init }) => fetch(`http://127.0.0.1:${port}${url.pathname}`, init),
    [METHODS.jobStatus]: () =>
      Response.json({ jobStatus: { jobId: 'j1', did: DID, state: 'JOB_STATE_COMPLETED', blob } }),
  })
  await send(act({ media: [video()] }), newCredentials(), io(network.fetch))
  t.same(received, [{ length: '6', type: 'video/mp4', body: 'abcdef' }])
  t.match(network.only(METHODS.delegate).params, { aud: 'did:web:pds.example', lxm: METHODS.blob })
  t.match(network.only(METHODS.uploadVideo), {
    origin: 'https://video.bsky.app',
    params: { did: DID, name: 'f00d.mp4' },
    authorization: 'Bearer the delegate',
  })
  t.same(network.only(METHODS.jobStatus).params, { jobId: 'j1' })
  t.same(network.only(METHODS.put).json.record.embed, {
    $type: 'app.bsky.embed.video',
    video: blob,
    alt: 'Bars',
    aspectRatio: { width: 4, height: 3 },
  })
})

t.test('a video that the service has processed before is used again; a GIF is shown as a GIF', async (t) => {
  const network = scriptedBluesky({
    [METHODS.uploadVideo]: () =>
      Response.json({ jobId: 'j1', error: 'already_exists', state: 'JOB_STATE_COMPLETED' }, { status: 409 }),
    [METHODS.jobStatus]: () =>
      Response.json({ jobStatus: { jobId: 'j1', state: 'JOB_STATE_FAILED', error: 'already_exists', blob } }),
  })
  const gif = video({ kind: 'gif', mimeType: 'image/gif' })
  await send(act({ media: [gif] }), newCredentials(), io(network.fetch))
  t.match(network.only(METHODS.put).json.record.embed, { video: blob, presentation: 'gif' })
})

t.test('a video in processing is uploaded once, and its job is read every second', async (t) => {
  let looks = 0
  const network = scriptedBluesky({
    [METHODS.uploadVideo]: () => Response.json({ jobId: 'j1', state: 'JOB_STATE_CREATED' }),
    [METHODS.jobStatus]: () => {
      const isDone = ++looks === 4
      const job = isDone ? { state: 'JOB_STATE_COMPLETED', blob } : { state: 'JOB_STATE_ENCODING' }
      return Response.json({ jobStatus: { jobId: 'j1', ...job } })
    },
  })
  const pauses: number[] = []
  const pause = (ms: number) => pauses.push(ms)
  await send(act({ media: [video()] }), newCredentials(), io(network.fetch, { pause }))
  t.same(pauses, [1_000, 1_000, 1_000, 1_000])
  t.equal(looks, 4)
  network.only(METHODS.uploadVideo)
})

t.test('a video that the service rejects is refused content', async (t) => {
  const failing = (failureCode: string) => ({
    [METHODS.uploadVideo]: () => Response.json({ jobId: 'j1', state: 'JOB_STATE_CREATED' }),
    [METHODS.jobStatus]: () =>
      Response.json({ jobStatus: { jobId: 'j1', state: 'JOB_STATE_FAILED', failureCode, message: 'Too odd' } }),
  })
  const media = [video()]
  t.has(await attempt(failing('validation_failure'), { media }), {
    code: 'content_refused',
    message: 'video.bsky.app: Too odd',
    maybeSent: false,
    retryable: false,
  })
})

t.test('a video is uploaded again after a failure of the service, five times at most', async (t) => {
  for (const failureCode of ['generic_failure', 'pds_upload_failure']) {
    for (const failures of [1, 4, 5]) {
      let uploads = 0
      const network = scriptedBluesky({
        [METHODS.uploadVideo]: () => Response.json({ jobId: `j${++uploads}`, state: 'JOB_STATE_CREATED' }),
        [METHODS.jobStatus]: ({ url }) => {
          const jobId = url.searchParams.get('jobId')
          const hasFailed = Number(jobId?.slice(1)) <= failures
          const failed = { state: 'JOB_STATE_FAILED', failureCode, message: 'Try again' }
          const jobStatus = { jobId, ...(hasFailed ? failed : { state: 'JOB_STATE_COMPLETED', blob }) }
          return Response.json({ jobStatus })
        },
      })
      const pauses: number[] = []
      const sent = send(
        act({ media: [video()] }),
        newCredentials(),
        io(network.fetch, { pause: (ms) => pauses.push(ms) }),
      )
      if (failures < 5) {
        await sent
        t.equal(uploads, failures + 1)
        t.match(network.only(METHODS.put).json.record.embed, { video: blob })
      } else {
        const error = await failureOf(sent)
        t.has(error, { code: 'server_error', maybeSent: false, retryable: false })
        t.equal(error.message, 'video.bsky.app: Try again (5 uploads failed: retry later)')
        t.equal(uploads, 5)
      }
      const longer = [30_000, 60_000, 120_000, 240_000].slice(0, failures)
      t.same(
        pauses.filter((ms) => ms > 1_000),
        longer,
      )
    }
  }
})

t.test('mentions are resolved once, also when a video is in processing', async (t) => {
  const facet = {
    index: { byteStart: 6, byteEnd: 22 },
    features: [{ $type: 'app.bsky.richtext.facet#mention', did: DID }],
  }
  let looks = 0
  const network = scriptedBluesky({
    [METHODS.resolve]: () => Response.json({ did: DID }),
    [METHODS.uploadVideo]: () => Response.json({ jobId: 'j1', state: 'JOB_STATE_CREATED' }),
    [METHODS.jobStatus]: () => Response.json({ jobStatus: { jobId: 'j1', ...(++looks === 3 && { blob }) } }),
  })
  await send(act({ text: 'Hello @bob.example.com', media: [video()] }), newCredentials(), io(network.fetch))
  t.ok(network.only(METHODS.resolve))
  t.match(network.only(METHODS.put).json.record.facets, [facet])
})
