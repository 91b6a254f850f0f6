import type { Act, PublishedFile, Wait } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible } from '../contract/publish-error.ts'
import { altTextOf } from '../rules/alt-text.ts'
import { JPEG_OR_PNG, readImage } from '../wire/remote-image.ts'
import { bluesky } from './limits.ts'
import type { Blob, Repo } from './repo.ts'
import { uploadVideo, type VideoJob } from './video.ts'

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/embed/external.json */
const CARD_IMAGE_BYTES_MAX = 1_000_000

/** The `fields` of limits.ts that the embed has, checked when the post was written. */
interface Fields {
  linkCard?: string
  linkCardTitle?: string
  linkCardDescription?: string
  linkCardImageUrl?: string
}

/** The `embed` of a record: its files, or its link card. */
type Embed = { $type: string; later?: never } & Readonly<Record<string, unknown>>

/** Uploads the files of an act. Returns the embed of its record, or what to keep while a video is processed. */
export async function embedOf(
  act: Act,
  repo: Repo,
  io: Io,
  job: VideoJob | undefined,
): Promise<Embed | { later: Wait<VideoJob> } | undefined> {
  const { linkCard }: Fields = act.fields
  const [file] = act.media
  if (linkCard && file)
    throw impossible('Bluesky shows either media or a link card: remove fields.linkCard or the media')
  if (!file) return linkCard && act.parent === null ? cardOf(linkCard, act.fields, repo, io) : undefined
  const alt = (file: PublishedFile) => altTextOf(file, act.fields, bluesky) ?? ''

  if (file.kind !== 'image') {
    const video = await uploadVideo(file, repo, io, job)
    if ('later' in video) return video
    return {
      $type: 'app.bsky.embed.video',
      video: video.blob,
      alt: alt(file),
      aspectRatio: aspectRatioOf(file),
      ...(file.kind === 'gif' && { presentation: 'gif' }),
    }
  }
  const images: { image: Blob; alt: string; aspectRatio: object | undefined }[] = []
  for (const file of act.media) {
    images.push({ image: await repo.upload(file), alt: alt(file), aspectRatio: aspectRatioOf(file) })
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

/**
 * A card with what `fields` say, or else with the address alone. The page is not read: another attempt might find
 * another title.
 */
async function cardOf(uri: string, fields: Fields, repo: Repo, io: Io): Promise<Embed> {
  const { host, pathname } = new URL(uri)
  const address = `${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}`
  const { linkCardTitle: title = address, linkCardDescription: description = '', linkCardImageUrl: url } = fields
  const rules = { field: 'linkCardImageUrl', mimeTypes: JPEG_OR_PNG, bytesMax: CARD_IMAGE_BYTES_MAX }
  const image = url && (await readImage(url, io, rules))
  const thumb = image && { thumb: await repo.upload(image) }
  return { $type: 'app.bsky.embed.external', external: { uri, title, description, ...thumb } }
}
