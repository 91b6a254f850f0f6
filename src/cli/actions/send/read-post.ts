import { readFile } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { parse, YAMLError } from 'yaml'
import { OperatorError } from '../../../errors.ts'
import type { CreatePost } from '../../../sdk/index.ts'

/** A file that a post shows: its path, beside the file of the post, and what is in it. */
export interface AttachedFile {
  path: string
  altText?: string
}

/** The contents of a file: the body of `createPost`, with names of accounts and paths of files. */
export interface WrittenPost {
  body: Omit<CreatePost, 'accountIds'> & { accountIds?: string[] }
  /** Each is the id of an account, or its network and user name, such as `bluesky/ada.example.com`. */
  accounts: string[]
  files: AttachedFile[]
}

const FRONT_MATTER = /^---\r?\n(.*?)^---[ \t]*(?:\r?\n|$)/ms

/** Reads the file of a post: JSON, YAML, or Markdown with YAML in front of the caption. Throws an OperatorError. */
export async function readPost(path: string): Promise<WrittenPost> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`cannot be read (${error.code})`)
  })
  const { accounts, media, ...body } = parseFields(path, text.replace(/^\ufeff/, ''))
  return {
    body: body as WrittenPost['body'],
    accounts: accounts === undefined ? [] : listOf(accounts, 'accounts', readName),
    files: media === undefined ? [] : listOf(media, 'media', (item) => readAttached(path, item)),
  }
}

function parseFields(path: string, text: string): Record<string, unknown> {
  if (!/^\.(?:md|markdown)$/i.test(extname(path))) return parseObject(text)
  const [whole, fields] = FRONT_MATTER.exec(text) ?? []
  if (whole === undefined || !text.startsWith(whole)) {
    throw new OperatorError('must begin with a line ---, the properties of the post, and another line ---')
  }
  return { ...parseObject(fields!), caption: text.slice(whole.length).trim() }
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    if (!(error instanceof YAMLError)) throw error
    throw new OperatorError(error.message.split(/:?\n/, 1)[0]!)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new OperatorError('must have the properties of a post, such as accounts and caption')
  }
  return value as Record<string, unknown>
}

function listOf<Item>(value: unknown, name: string, read: (item: unknown) => Item | undefined): Item[] {
  const items = Array.isArray(value) ? value.map(read) : [undefined]
  const index = items.indexOf(undefined)
  if (index >= 0) throw new OperatorError(`${name} must be a list of ${LISTS[name]}`)
  return items as Item[]
}

const LISTS: Record<string, string> = {
  accounts: 'ids, or of networks with user names, such as bluesky/ada.example.com',
  media: 'paths of files, or of objects such as { file: lighthouse.jpg, altText: A lighthouse. }',
}

const readName = (item: unknown) => (typeof item === 'string' ? item : undefined)

function readAttached(path: string, item: unknown): AttachedFile | undefined {
  const { file, altText, ...others } =
    typeof item === 'string' ? { file: item } : ((item ?? {}) as Record<string, unknown>)
  const isKnown = typeof file === 'string' && (altText === undefined || typeof altText === 'string')
  if (!isKnown || Object.keys(others).length > 0) return undefined
  return { path: resolve(dirname(path), file), ...(altText !== undefined && { altText }) }
}
