import type { PartLink } from '../../../schemas/post-part.ts'
import type { Act, PublishedFile, Wait } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible } from '../contract/publish-error.ts'
import { JPEG_OR_PNG, readImage } from '../wire/remote-image.ts'
import { blueskyContent } from './content.ts'
import type { Blob, Repo } from './repo.ts'
import { uploadVideo, type VideoJob } from './video.ts'

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/embed/external.json */
const CARD_IMAGE_BYTES_MAX = 1_000_000

/** The `embed` of a record: its files, or its link card. */
type Embed = { $type: string; later?: never } & Readonly<Record<string, unknown>>

/** Uploads the files of an act. Returns the embed of its record, or what to keep while a video is processed. */
export async function embedOf(
  act: Act,
  repo: Repo,
  io: Io,
  job: VideoJob | undefined,
): Promise<Embed | { later: Wait<VideoJob> } | undefined> {
  const { altTexts, link } = blueskyContent(act)
  const [file] = act.media
  if (act.fields.linkCard && file && !act.parent)
    throw impossible('Bluesky shows either media or a link card: remove fields.linkCard or the media')
  if (!file) return link && cardOf(link, repo, io)

  if (file.kind !== 'image') {
    const video = await uploadVideo(file, repo, io, job)
    if ('later' in video) return video
    return {
      $type: 'app.bsky.embed.video',
      video: video.blob,
      alt: altTexts[0] ?? '',
      aspectRatio: aspectRatioOf(file),
      ...(file.kind === 'gif' && { presentation: 'gif' }),
    }
  }
  const images: { image: Blob; alt: string; aspectRatio: object | undefined }[] = []
  for (const [index, file] of act.media.entries()) {
    images.push({ image: await repo.upload(file), alt: altTexts[index] ?? '', aspectRatio: aspectRatioOf(file) })
  }
  // Every client shows up to four; only newer ones know galleries.
  if (images.length <= 4) return { $type: 'app.bsky.embed.images', images }
  // A gallery requires an aspect ratio (lexicons/app/bsky/embed/gallery.json): an unknown one becomes a square.
  const items = images.map(({ aspectRatio = { width: 1, height: 1 }, ...image }) => ({
    $type: 'app.bsky.embed.gallery#image',
    ...image,
    aspectRatio,
  }))
  return { $type: 'app.bsky.embed.gallery', items }
}

const aspectRatioOf = ({ width, height }: PublishedFile) => (width && height ? { width, height } : undefined)

async function cardOf(
  { url: uri, title = '', description = '', imageUrl }: PartLink,
  repo: Repo,
  io: Io,
): Promise<Embed> {
  const rules = { field: 'linkCardImageUrl', mimeTypes: JPEG_OR_PNG, bytesMax: CARD_IMAGE_BYTES_MAX }
  const image = imageUrl && (await readImage(imageUrl, io, rules))
  const thumb = image && { thumb: await repo.upload(image) }
  return { $type: 'app.bsky.embed.external', external: { uri, title, description, ...thumb } }
}
