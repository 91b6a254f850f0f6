import { readFile } from 'node:fs/promises'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { POSTIZ_EXPORT } from '../../../../db/postiz-export.ts'
import type { PlatformId } from '../../../../schemas/platform.ts'
import { OperatorError } from '../../../base/errors.ts'
import type { Io } from '../../action.ts'
import { type MoveOptions, movePosts } from './move-posts.ts'
import { readSettings } from './postiz-settings.ts'
import { readText } from './postiz-text.ts'
import { groupThreads } from './postiz-threads.ts'
import { readShape } from './read-shape.ts'
import { platformOf, type Source, type SourceFile, type SourcePost } from './source-post.ts'

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

async function readPosts(path: string): Promise<Source[]> {
  const text = await readFile(path, 'utf8').catch(({ code }) => {
    throw new OperatorError(`${path} cannot be read (${code})`)
  })
  const rows = readShape(Type.Array(Type.Unknown()), parse(path, text), path)
  return groupThreads(rows).map(({ id, rows, problem }) => ({
    id,
    read: () => {
      if (problem !== undefined) throw new OperatorError(problem)
      const [first, ...parts] = rows.map((row) => readShape(Row, row, `a row of ${id}`))
      return toPost(first!, parts)
    },
  }))
}

function toPost(row: Row, parts: Row[]): SourcePost {
  const platform = platformOf(PROVIDERS, row.network)
  const settings = readJson(Settings, row.settings || '{}', `settings of ${row.id}`)
  const { postType, fields, missing } = readSettings(platform, settings)
  const texts = [row, ...parts].map(({ content }) => readText(content))
  return {
    account: { platform, network: row.network, names: [row.profile, row.name].filter((name) => name !== null) },
    caption: texts[0]!.text,
    files: readFiles(row),
    parts: parts.map((part, index) => ({ text: texts[index + 1]!.text, files: readFiles(part) })),
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

const readFiles = ({ id, image }: Row): SourceFile[] =>
  readJson(Type.Array(Image), image || '[]', `image of ${id}`).map(({ path: url, alt }) => ({
    url,
    ...(alt && { altText: alt }),
  }))

const readJson = <Shape extends TSchema>(shape: Shape, text: string, source: string) =>
  readShape(shape, parse(source, text), source)

function parse(source: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new OperatorError(`${source} is not valid JSON: ${(error as Error).message}`)
  }
}
