import { readFile } from 'node:fs/promises'
import { type Static, Type } from '@sinclair/typebox'
import { POSTIZ_EXPORT } from '../../../../db/postiz-export.ts'
import type { PlatformId } from '../../../../schemas/platform.ts'
import { OperatorError } from '../../../errors.ts'
import type { Io } from '../../action.ts'
import { type MoveOptions, movePosts } from './move-posts.ts'
import { readSettings } from './postiz-settings.ts'
import { readText } from './postiz-text.ts'
import { readShape } from './read-shape.ts'
import { platformOf, type SourceFile, type SourcePost } from './source-post.ts'

const Text = Type.Union([Type.String(), Type.Null()])

/** A row of `POSTIZ_EXPORT`: a post to one account, or a later part of one. */
const Row = Type.Object({
  id: Type.String(),
  parentPostId: Text,
  state: Type.String(),
  publishDate: Type.String(),
  intervalInDays: Type.Union([Type.Integer(), Type.Null()]),
  content: Type.String(),
  image: Text,
  settings: Text,
  tags: Type.Array(Type.String()),
  network: Type.String(),
  name: Type.String(),
  profile: Text,
})
type Row = Static<typeof Row>

const Settings = Type.Record(Type.String(), Type.Unknown())
const Image = Type.Object({ path: Type.String(), alt: Type.Optional(Text) })

/**
 * The identifiers of networks in Postiz, where they differ:
 * https://github.com/gitroomhq/postiz-app/tree/main/libraries/nestjs-libraries/src/integrations/social
 */
const PROVIDERS: Record<string, PlatformId> = {
  gmb: 'google_business',
  'instagram-standalone': 'instagram',
  'linkedin-page': 'linkedin',
  'mastodon-custom': 'mastodon',
  'tiktok-business': 'tiktok',
}

/** Prints the query, or moves the posts of the file that it wrote. */
export async function importPostiz(
  io: Io,
  path: string | undefined,
  options: MoveOptions & { query?: boolean },
): Promise<void> {
  if (options.query) return void io.stdout.write(POSTIZ_EXPORT)
  if (path === undefined) throw new OperatorError('name the file that the query of --query wrote')
  await movePosts(io, 'postiz', await readPosts(path), options)
}

async function readPosts(path: string): Promise<SourcePost[]> {
  const text = await readFile(path, 'utf8').catch(({ code }) => {
    throw new OperatorError(`${path} cannot be read (${code})`)
  })
  const rows = readShape(Type.Array(Row), parse(path, text), path)
  const followers = Map.groupBy(rows, ({ parentPostId }) => parentPostId)
  return (followers.get(null) ?? []).map((row) => toPost(path, row, collectParts(row, followers)))
}

/** Each part is the parent of the next. */
const collectParts = (row: Row, followers: Map<string | null, Row[]>): Row[] =>
  (followers.get(row.id) ?? []).flatMap((part) => [part, ...collectParts(part, followers)])

function toPost(path: string, row: Row, parts: Row[]): SourcePost {
  const platform = platformOf(PROVIDERS, row.network)
  const settings = readShape(Settings, parse(path, row.settings || '{}'), `${path}: settings of ${row.id}`)
  const { postType, fields, missing } = readSettings(platform, settings)
  const texts = [row, ...parts].map(({ content }) => readText(content))
  return {
    id: row.id,
    account: { platform, network: row.network, names: [row.profile, row.name].filter((name) => name !== null) },
    caption: texts[0]!.text,
    files: readFiles(path, row),
    parts: parts.map((part, index) => ({ text: texts[index + 1]!.text, files: readFiles(path, part) })),
    time: row.publishDate,
    isDraft: row.state === 'DRAFT',
    postType,
    fields,
    tags: row.tags,
    lost: [
      ...new Set(texts.flatMap(({ lost }) => lost)),
      ...(row.intervalInDays ? [`its repetition every ${row.intervalInDays} days`] : []),
    ],
    missing,
  }
}

const readFiles = (path: string, { id, image }: Row): SourceFile[] =>
  readShape(Type.Array(Image), parse(path, image || '[]'), `${path}: image of ${id}`).map(({ path: url, alt }) => ({
    url,
    ...(alt && { altText: alt }),
  }))

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new OperatorError(`${path} is not valid JSON: ${(error as Error).message}`)
  }
}
