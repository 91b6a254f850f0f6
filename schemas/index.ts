import { Account, AccountList } from './account.ts'
import { ErrorBody, Issue } from './error.ts'
import { PlatformId, PostType } from './platform.ts'
import { AccountOverride, CreatedPost, CreatePost, Deleted, Post, PostList, PostStatus } from './post.ts'

/** Every named schema of the interface. What is listed here becomes a component of the OpenAPI document. */
export const components = [
  Account,
  AccountList,
  AccountOverride,
  CreatePost,
  CreatedPost,
  Deleted,
  ErrorBody,
  Issue,
  PlatformId,
  Post,
  PostList,
  PostStatus,
  PostType,
]
