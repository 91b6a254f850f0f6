import type { PlatformId } from '../../../../schemas/platform.ts'
import { readBufferKey } from '../../../run/config/config.ts'
import type { Io } from '../../action.ts'
import { type BufferAssets, BufferPost, readPosts } from './buffer-api.ts'
import { readMetadata } from './buffer-metadata.ts'
import { type MoveOptions, movePosts } from './move-posts.ts'
import { readShape } from './read-shape.ts'
import { platformOf, type Source, type SourceFile, type SourcePost } from './source-post.ts'

/** The names of networks in Buffer, where they differ: https://developers.buffer.com/types/Service.html */
const SERVICES: Record<string, PlatformId> = { twitter: 'x', googlebusiness: 'google_business' }

export async function importBuffer(io: Io, options: MoveOptions): Promise<void> {
  const posts = await readPosts(readBufferKey(io.env))
  await movePosts(io, 'buffer', posts.map(toSource), options)
}

function toSource(post: unknown, index: number): Source {
  const { id } = (post ?? {}) as { id?: unknown }
  return {
    id: typeof id === 'string' ? id : `post ${index + 1}`,
    read: () => toPost(readShape(BufferPost, post, 'the post')),
  }
}

function toPost(post: BufferPost): SourcePost {
  const { service, name, displayName } = post.channel
  const platform = platformOf(SERVICES, service)
  const { thread, firstComment } = post.metadata ?? {}
  const { postType, fields, lost, missing } = readMetadata(platform, post)
  const isReminder = post.schedulingType === 'notification'
  return {
    account: { platform, network: service, names: [name, displayName].filter((name) => name !== null) },
    caption: post.text,
    files: readFiles(post.assets),
    parts: (thread ?? []).map(({ text, assets }) => ({ text, files: readFiles(assets) })),
    time: post.dueAt ?? undefined,
    isDraft: post.status !== 'scheduled',
    postType,
    ...(firstComment && { firstComment }),
    fields,
    tags: post.tags.map(({ name }) => name),
    lost: [
      ...lost,
      ...post.notes.map(({ text }) => `the note "${text}"`),
      ...(post.status === 'needs_approval' ? ['that it awaits an approval'] : []),
    ],
    missing: [...missing, ...(isReminder ? ['publishing by hand after a reminder'] : [])],
  }
}

const readFiles = (assets: BufferAssets): SourceFile[] =>
  assets.map(({ source, image }) => ({ url: source, ...(image?.altText && { altText: image.altText }) }))
