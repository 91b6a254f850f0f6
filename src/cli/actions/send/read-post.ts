import { readFile, stat } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { errorOf } from '../../../../schemas/errors.ts'
import { OperatorError } from '../../../base/errors.ts'
import type { CreatePost } from '../../../clients/sdk/index.ts'
import { findFile } from './find-file.ts'

/** A file that a post shows: its path as it is written, from there, and its description. */
export interface AttachedFile {
  name: string
  path: string
  altText?: string
}

/** The contents of a file: the body of `createPost`, with names of accounts and paths of files. */
interface WrittenPost {
  body: Omit<CreatePost, 'accountIds'> & { accountIds?: string[] }
  /** Each is the id of an account, or its network and user name, such as `bluesky/ada.example.com`. */
  accounts: string[]
  files: AttachedFile[]
}

const FRONT_MATTER = /^---\r?\n(.*?)^---[ \t]*(?:\r?\n|$)/ms

/** Longer ones are no request either. */
const BYTES_MAX = 1024 * 1024

/** Reads the file of a post in `root`: JSON, YAML, or Markdown with YAML first. Throws an OperatorError. */
export async function readPost(root: string, path: string): Promise<WrittenPost> {
  const text = await readText(root, path).catch((error: NodeJS.ErrnoException) => {
    throw error instanceof OperatorError ? error : new OperatorError(`cannot be read (${error.code})`)
  })
  const { accounts, media, ...body } = parseFields(path, text.replace(/^\ufeff/, ''))
  const { externalReference } = body
  if (externalReference !== undefined && typeof externalReference !== 'string') {
    throw new OperatorError('externalReference must be a text')
  }
  return {
    body: body as WrittenPost['body'],
    accounts: accounts === undefined ? [] : listOf(accounts, 'accounts', readName),
    files: media === undefined ? [] : listOf(media, 'media', (item) => readAttached(path, item)),
  }
}

async function readText(root: string, path: string): Promise<string> {
  const found = await findFile(root, path)
  if ((await stat(found)).size > BYTES_MAX) throw new OperatorError(errorOf('body_too_large.post').message)
  return readFile(found, 'utf8')
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
  const lineCounter = new LineCounter()
  // Unique keys are required below: the parser compares each with each.
  const document = parseDocument(text, { lineCounter, uniqueKeys: false })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw new OperatorError(problem.message.split(/:?\n/, 1)[0]!)
  requireUniqueKeys(document, lineCounter)
  let value: unknown
  try {
    // As the request has it. Aliases may make an object that is too large, or that contains itself.
    value = JSON.parse(JSON.stringify(document.toJS()))
  } catch (error) {
    throw new OperatorError((error as Error).message.split('\n', 1)[0]!)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new OperatorError('must have the properties of a post, such as accounts and caption')
  }
  return value as Record<string, unknown>
}

function requireUniqueKeys(document: Document, lineCounter: LineCounter): void {
  visit(document, {
    Map(_, { items }) {
      const known = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        if (known.has(name)) {
          const { line, col } = lineCounter.linePos(key.range![0])
          throw new OperatorError(`Map keys must be unique at line ${line}, column ${col}`)
        }
        known.add(name)
      }
    },
  })
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
  return { name: file, path: resolve(dirname(path), file), ...(altText !== undefined && { altText }) }
}
