import type { Io } from '../contract/io.ts'
import { ID, object, optional } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { callGraph, isId, type Page, permalinkOf } from './graph.ts'

interface VideoStatus {
  /** Facebook has the whole file. */
  isUploaded: boolean
  /** How much of the file Facebook has. */
  bytesReceived: number
  isProcessing: boolean
  isLive: boolean
  /** Why the video will not be published, in Facebook's words. */
  failure: string | undefined
  postId: string | undefined
  url: string | null
}

const PHASES = ['uploading_phase', 'processing_phase', 'publishing_phase'] as const

/**
 * Reads how far a video has come: https://developers.facebook.com/docs/video-api/guides/reels-publishing. That page
 * writes `bytes_transfered` and `complete`; Meta's SDK has `bytes_transferred` and `completed`
 * (https://github.com/facebook/facebook-business-sdk-codegen).
 */
export async function readStatus(page: Page, id: string, io: Io): Promise<VideoStatus> {
  const body = await callGraph(page, io, id, {
    query: { fields: 'status,post_id,permalink_url' },
    answer: object({ status: object(), post_id: optional(ID) }),
  })
  const status = at(body, 'status')
  const [uploading, processing, publishing] = PHASES.map((phase) => textAt(status, phase, 'status'))
  const publishStatus = textAt(status, 'publishing_phase', 'publish_status')
  const videoStatus = textAt(status, 'video_status')
  const bytes = Number(
    textAt(status, 'uploading_phase', 'bytes_transfered') ?? textAt(status, 'uploading_phase', 'bytes_transferred'),
  )
  return {
    isUploaded: isComplete(uploading),
    bytesReceived: Number.isInteger(bytes) && bytes > 0 ? bytes : 0,
    isProcessing: videoStatus === 'processing' || processing === 'in_progress' || publishing === 'in_progress',
    isLive:
      isComplete(publishing) || publishStatus === 'published' || (publishing === undefined && videoStatus === 'ready'),
    failure: failureOf(status, videoStatus, [uploading, processing, publishing, publishStatus]),
    postId: postIdOf(page, body),
    url: permalinkOf(textAt(body, 'permalink_url')),
  }
}

/** The id of the post that shows a video; undefined if Facebook does not name it yet. */
export function postIdOf(page: Page, video: unknown): string | undefined {
  const id = textAt(video, 'post_id')
  if (!isId(id)) return undefined
  return id.includes('_') ? id : `${page.id}_${id}`
}

const isComplete = (status: string | undefined) => status === 'complete' || status === 'completed'

function failureOf(status: unknown, videoStatus = '', statuses: (string | undefined)[]): string | undefined {
  if (!['error', 'expired', 'upload_failed'].includes(videoStatus) && !statuses.includes('error')) return undefined
  for (const phase of PHASES) {
    const words = textAt(status, phase, 'error', 'message') ?? textAt(status, phase, 'errors', 0, 'message')
    if (words) return `facebook.com: ${words}`
  }
  return `facebook.com: the video could not be published (${videoStatus || 'error'})`
}
