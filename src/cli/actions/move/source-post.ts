import type { PlatformId, PostType } from '../../../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../../../schemas/platform-ids.ts'
import type { CreatePost } from '../../../clients/sdk/index.ts'

/** The name of an account in another service, by which the account here is found. */
export interface SourceAccount {
  /** Undefined if Postroom does not have the network. */
  platform: PlatformId | undefined
  /** The name of the network in the service. */
  network: string
  /** Its handle, and its display name. */
  names: string[]
}

export interface SourceFile {
  url: string
  altText?: string
}

/** One text of a thread, or a comment under the post. */
interface SourcePart {
  text: string
  files: SourceFile[]
}

/** A scheduled post or a draft of another service, which publishes to one account. */
export interface SourcePost {
  account: SourceAccount
  caption: string
  files: SourceFile[]
  /** Parts of a thread, or comments, after the first text. */
  parts: SourcePart[]
  /** When it is scheduled, or planned if it is a draft. */
  time: string | undefined
  isDraft: boolean
  postType: PostType | undefined
  firstComment?: string
  fields: Record<string, unknown>
  tags: string[]
  /** The things that Postroom lacks, and that published posts do without. */
  lost: string[]
  /** The parts of the content that Postroom lacks. Such a post becomes a draft. */
  missing: string[]
}

/** A post that is read when its turn comes, so that a malformed one is refused alone. */
export interface Source {
  /** The id that the service gave it. */
  id: string
  /** Throws if it is malformed. */
  read(): SourcePost
}

/** The network that a service calls `network`. `names` are the service's names that differ from Postroom's. */
export const platformOf = (names: Record<string, PlatformId>, network: string): PlatformId | undefined =>
  Object.hasOwn(names, network) ? names[network] : PLATFORM_IDS.find((id) => id === network)

/** The body of `createPost`, but for the account and the files. */
export type MovedBody = Omit<CreatePost, 'accountIds' | 'mediaIds'>
