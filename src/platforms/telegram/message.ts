import type { Act, PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { optionsOf } from '../contract/poll-options.ts'
import { impossible } from '../contract/publish-error.ts'
import { at, textAt } from '../wire/json.ts'
import { readImage } from '../wire/remote-image.ts'
import { fileName, multipart, type Upload } from '../wire/request-body.ts'
import { telegramContent } from './content.ts'

// Source of everything below that names no other: https://core.telegram.org/bots/api

interface Message {
  method: string
  parameters: Record<string, unknown>
  uploads: Upload[]
  /** An image that is uploaded too, under the name of a field of the form. */
  thumbnail?: { url: string; field: string } | undefined
}

/** The parameters of a text and of a caption, which are the same when they are edited. */
function textsOf(act: Act) {
  const { kind, fields } = act
  const { text } = telegramContent(act)
  const buttons = kind === 'post' && Array.isArray(fields.buttons) ? fields.buttons : []
  // Telegram would refuse a comment written without markup for its full stops.
  const parseMode = kind === 'post' && fields.parseMode !== undefined && { parse_mode: fields.parseMode }
  const preview =
    fields.disableLinkPreview === true
      ? { link_preview_options: { is_disabled: true } }
      : kind === 'post' && fields.linkPreview !== undefined && { link_preview_options: previewOf(fields.linkPreview) }
  return {
    text: { text, ...parseMode, ...preview },
    caption: {
      ...(text && { caption: text, ...parseMode }),
      ...(fields.showCaptionAboveMedia === true && { show_caption_above_media: true }),
    },
    // One below the other: side by side, a phone cuts the labels of three buttons.
    keyboard: buttons.length > 0 && { reply_markup: { inline_keyboard: buttons.map((button) => [button]) } },
  }
}

/** https://core.telegram.org/bots/api#linkpreviewoptions */
function previewOf(preview: unknown): object {
  const url = textAt(preview, 'url')
  return {
    ...(url && { url }),
    ...(at(preview, 'preferSmallMedia') === true && { prefer_small_media: true }),
    ...(at(preview, 'preferLargeMedia') === true && { prefer_large_media: true }),
    ...(at(preview, 'showAboveText') === true && { show_above_text: true }),
  }
}

/** https://core.telegram.org/bots/api#editmessagetext, #editmessagecaption: an edit without buttons removes them. */
export function editOf(act: Act, hasFiles: boolean): Pick<Message, 'method' | 'parameters'> {
  const { text, caption, keyboard } = textsOf(act)
  return hasFiles
    ? { method: 'editMessageCaption', parameters: { ...caption, ...keyboard } }
    : { method: 'editMessageText', parameters: { ...text, ...keyboard } }
}

export function messageOf(act: Act): Message {
  const { kind, media, fields, parent } = act
  const { text, keyboard, ...texts } = textsOf(act)
  const shared = {
    ...(fields.disableNotification === true && { disable_notification: true }),
    ...(fields.protectContent === true && { protect_content: true }),
    ...(parent && { reply_parameters: { message_id: Number(parent.id) } }),
    ...(fields.messageThreadId !== undefined && { message_thread_id: fields.messageThreadId }),
    ...keyboard,
  }
  const caption = { ...texts.caption, ...(fields.hasSpoiler === true && { has_spoiler: true }) }
  const video = kind === 'post' ? media.find((file) => file.kind === 'video') : undefined
  const coverUrl = textAt(fields, 'coverUrl')
  const thumbnailUrl = textAt(fields, 'thumbnailUrl')
  const cover = (file: PublishedFile) => file === video && coverUrl && { cover: coverUrl }
  const thumbnail = (field: string) => (video && thumbnailUrl ? { url: thumbnailUrl, field } : undefined)
  const [file, ...others] = media
  if (!file && fields.poll !== undefined && kind === 'post' && !parent) {
    return { method: 'sendPoll', parameters: { ...pollOf(fields.poll, text.text), ...shared }, uploads: [] }
  }
  if (!file) return { method: 'sendMessage', parameters: { ...text, ...shared }, uploads: [] }
  if (others.length === 0) {
    const { method, type } = singleOf(file)
    const uploads = [{ field: type, name: fileName(file, 0), file }]
    const parameters = { ...sizeOf(file), ...cover(file), ...caption, ...shared }
    return { method, parameters, uploads, thumbnail: thumbnail('thumbnail') }
  }
  // https://core.telegram.org/bots/api#sendmediagroup has no reply_markup.
  if (keyboard)
    throw impossible('Telegram shows no buttons below several files: remove fields.buttons, or publish one file')
  const uploads = media.map((each, index) => ({ field: `file${index}`, name: fileName(each, index), file: each }))
  const album = media.map((each, index) => ({
    type: singleOf(each).type,
    media: `attach://file${index}`,
    ...sizeOf(each),
    ...cover(each),
    ...(each === video && thumbnailUrl && { thumbnail: `attach://${ALBUM_THUMBNAIL}` }),
    ...caption,
    // Clients show the caption of the first file as the album's.
    ...(index > 0 && { caption: undefined, parse_mode: undefined }),
  }))
  const parameters = { media: album, ...shared }
  return { method: 'sendMediaGroup', parameters, uploads, thumbnail: thumbnail(ALBUM_THUMBNAIL) }
}

/** https://core.telegram.org/bots/api#sendpoll */
function pollOf(poll: unknown, question: string): object {
  const durationMinutes = at(poll, 'durationMinutes')
  return {
    question,
    options: optionsOf(poll).map((text) => ({ text })),
    ...(at(poll, 'multiple') === true && { allows_multiple_answers: true }),
    ...(typeof durationMinutes === 'number' && { open_period: durationMinutes * 60 }),
  }
}

/**
 * Every file of an album would get a part that is named thumbnail: get_input_thumbnail in
 * https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp.
 */
const ALBUM_THUMBNAIL = 'video-thumbnail'

/** https://core.telegram.org/bots/api#sendvideo: less than 200 kB. Read whole, before the call that may be visible. */
export async function loadThumbnail({ url, field }: { url: string; field: string }, io: Io): Promise<Upload> {
  const rules = { field: 'thumbnailUrl', mimeTypes: ['image/jpeg'], bytesMax: 200_000 - 1 }
  return { field, name: 'thumbnail.jpg', file: await readImage(url, io, rules) }
}

const SINGLE = {
  image: { method: 'sendPhoto', type: 'photo' },
  gif: { method: 'sendAnimation', type: 'animation' },
  video: { method: 'sendVideo', type: 'video' },
} as const

/** The limits refuse documents. */
const singleOf = ({ kind }: PublishedFile) => SINGLE[kind as keyof typeof SINGLE]

/** Parameters of https://core.telegram.org/bots/api#sendvideo that photos do not have. */
function sizeOf({ kind, width, height, durationSeconds }: PublishedFile): object {
  if (kind === 'image') return {}
  return {
    ...(width && { width }),
    ...(height && { height }),
    ...(durationSeconds && { duration: Math.round(durationSeconds) }),
    ...(kind === 'video' && { supports_streaming: true }),
  }
}

/** JSON, or a form if there are files: https://core.telegram.org/bots/api#making-requests */
export function bodyOf(parameters: Record<string, unknown>, uploads: readonly Upload[]): object {
  if (uploads.length === 0) return parameters
  const fields = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return multipart(Object.fromEntries(fields), uploads)
}
