import type { PublishedFile, Wait } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, PublishError, unexpected } from '../contract/publish-error.ts'
import { either, literal, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { BLOB, type Blob, type Repo } from './repo.ts'
import { xrpc } from './xrpc.ts'

const VIDEO_SERVICE = 'https://video.bsky.app'

/** https://docs.bsky.app/docs/tutorials/video looks every second. */
const LOOK_AGAIN_MS = 1_000

/**
 * Uploads of one video until the service has processed it, and the pause before the second one. It doubles each time.
 */
const UPLOADS_MAX = 5
const UPLOAD_AGAIN_MS = 30_000

/** A video that the service is processing, or, without a `jobId`, one that has to be uploaded again. */
export type VideoJob = { jobId: string | null; failures: number }

/**
 * Uploads a video, or reads the state of an earlier upload. The recommended way of
 * https://docs.bsky.app/docs/tutorials/video: the video service converts the file and puts it on the account's server.
 * It reaches only servers with TLS, as all of the public network are. Another server takes MP4 as it is, the tutorial's
 * simple way.
 */
export async function uploadVideo(
  file: PublishedFile,
  repo: Repo,
  io: Io,
  job: VideoJob = { jobId: null, failures: 0 },
): Promise<{ blob: Blob } | { later: Wait<VideoJob> }> {
  if (new URL(repo.server).protocol !== 'https:') {
    if (file.mimeType === 'video/mp4') return { blob: await repo.upload(file) }
    throw impossible(`${new URL(repo.server).host} accepts no videos except MP4`)
  }
  const status = job.jobId ? await readJob(job.jobId, io) : await startJob(file, repo, io)
  // A file that was processed before fails with `already_exists`, and has its blob all the same.
  if (status.blob) return { blob: status.blob }
  const { jobId, state } = status
  if (jobId && state !== 'JOB_STATE_FAILED') {
    return { later: { state: { jobId, failures: job.failures }, afterMs: LOOK_AGAIN_MS } }
  }
  const failures = job.failures + 1
  if (!isOfService(status) || failures >= UPLOADS_MAX) throw failed(status)
  // The job stays failed: only another upload can succeed.
  return { later: { state: { jobId: null, failures }, afterMs: UPLOAD_AGAIN_MS * 2 ** job.failures } }
}

const STATUS = { jobId: optional(TEXT), state: optional(TEXT), blob: optional(BLOB) }

const JOB = either(object({ jobStatus: object(STATUS) }), object({ ...STATUS, jobStatus: optional(literal(false)) }))

async function startJob(file: PublishedFile, repo: Repo, io: Io): Promise<JobStatus> {
  const token = await repo.delegate('com.atproto.repo.uploadBlob', new Date(Date.now() + 30 * 60_000))
  const name = `${file.id}.${file.mimeType.split('/')[1]}`
  const params = { did: repo.did, name }
  // 409 names the job of a file that the service has already.
  return jobStatusOf(
    await xrpc(io, VIDEO_SERVICE, 'app.bsky.video.uploadVideo', {
      token,
      params,
      file,
      answer: JOB,
      accept: [409],
    }),
  )
}

const readJob = async (jobId: string, io: Io) =>
  jobStatusOf(await xrpc(io, VIDEO_SERVICE, 'app.bsky.video.getJobStatus', { params: { jobId }, answer: JOB }))

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/video/defs.json */
interface JobStatus {
  jobId: string | undefined
  state: string | undefined
  blob: Blob | undefined
  /** The service's own words. */
  message: string | undefined
  failureCode: string | undefined
}

/** By its lexicon, the service sends `{ jobStatus }`; by the tutorial, the response to an upload is its content. */
function jobStatusOf(response: unknown): JobStatus {
  const job = at(response, 'jobStatus') ?? response
  if (![textAt(job, 'jobId'), textAt(job, 'state'), at(job, 'blob')].some(Boolean))
    throw unexpected(new URL(VIDEO_SERVICE).host, false)
  return {
    jobId: textAt(job, 'jobId'),
    state: textAt(job, 'state'),
    blob: at(job, 'blob') as Blob | undefined,
    message: textAt(job, 'message') || textAt(job, 'error'),
    failureCode: textAt(job, 'failureCode'),
  }
}

/** Whether the service failed. All other failures concern the video. */
const isOfService = ({ failureCode }: JobStatus) =>
  failureCode === 'generic_failure' || failureCode === 'pds_upload_failure'

function failed(status: JobStatus): PublishError {
  const words = `video.bsky.app: ${status.message ?? 'the video could not be processed'}`
  if (!isOfService(status)) return impossible(words)
  const message = `${words} (${UPLOADS_MAX} uploads failed: retry later)`
  return new PublishError(message, { code: 'server_error', maybeSent: false, retryable: false })
}
