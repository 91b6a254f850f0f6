import type { Io, PublishedFile } from '../adapter.ts'
import { at, textAt } from '../json.ts'
import { impossible, PublishError } from '../publish-error.ts'
import { type Blob, type Repo, xrpc } from './repo.ts'

const VIDEO_SERVICE = 'https://video.bsky.app'

/** A video that the service is processing. */
export type VideoJob = { jobId: string }

/**
 * Uploads a video, or looks what has become of one that was uploaded before. The recommended way of
 * https://docs.bsky.app/docs/tutorials/video: the video service converts the file and puts it on the account's server. It
 * reaches only servers with TLS, as all of the public network are. Another server takes MP4 as it is, the tutorial's
 * simple way.
 */
export async function uploadVideo(
  file: PublishedFile,
  repo: Repo,
  io: Io,
  job: VideoJob | undefined,
): Promise<{ blob: Blob } | { waitsFor: VideoJob }> {
  if (new URL(repo.server).protocol !== 'https:') {
    if (file.mimeType === 'video/mp4') return { blob: await repo.upload(file) }
    throw impossible(`${repo.server} takes no videos but MP4`)
  }
  const { blob, jobId, state, message, failureCode } = job ? await readJob(job, io) : await startJob(file, repo, io)
  // A file that was processed before fails with `already_exists`, and has its blob all the same.
  if (blob) return { blob }
  if (state === 'JOB_STATE_FAILED' || !jobId) throw failed(message, failureCode)
  return { waitsFor: { jobId } }
}

async function startJob(file: PublishedFile, repo: Repo, io: Io): Promise<JobStatus> {
  const token = await repo.delegate('com.atproto.repo.uploadBlob', new Date(Date.now() + 30 * 60_000))
  const name = `${file.id}.${file.mimeType.split('/')[1]}`
  const params = { did: repo.did, name }
  // 409 names the job of a file that the service has already.
  return jobStatusOf(
    await xrpc(io, VIDEO_SERVICE, 'app.bsky.video.uploadVideo', { token, params, file, accept: [409] }),
  )
}

const readJob = async ({ jobId }: VideoJob, io: Io) =>
  jobStatusOf(await xrpc(io, VIDEO_SERVICE, 'app.bsky.video.getJobStatus', { params: { jobId } }))

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
  return {
    jobId: textAt(job, 'jobId'),
    state: textAt(job, 'state'),
    blob: at(job, 'blob') as Blob | undefined,
    message: textAt(job, 'message') || textAt(job, 'error'),
    failureCode: textAt(job, 'failureCode'),
  }
}

/** Failures of the service; others concern the video. */
const SERVICE_FAILURES = ['generic_failure', 'pds_upload_failure']

function failed(words: string | undefined, failureCode: string | undefined): PublishError {
  const message = `video.bsky.app: ${words ?? 'the video could not be processed'}`
  if (!SERVICE_FAILURES.includes(failureCode ?? '')) return impossible(message)
  return new PublishError(message, { code: 'server_error', maybeSent: false, retryable: true })
}
