import { Account, AccountAttention, AccountList } from './account.ts'
import { App, AppList, PutApp } from './app.ts'
import { CONNECT_CREDENTIALS, CONNECT_VARIANTS, ConnectAccount } from './connect.ts'
import {
  ChooseAccounts,
  CompleteConnection,
  Connection,
  ConnectionChoice,
  ConnectionError,
  ConnectionState,
  CreateConnection,
  CreatedConnection,
} from './connection.ts'
import { AccountOverride, CreatedPost, CreatePost } from './create-post.ts'
import { Delivery, DeliveryAttempt, DeliveryError, DeliveryState, PublishedAct, ResolveDelivery } from './delivery.ts'
import { ErrorBody, Issue } from './error.ts'
import { ImportMedia, Media, MediaKind, MediaList, UpdateMedia, UploadMedia } from './media.ts'
import { PlatformId, PostType } from './platform.ts'
import { Post, PostDetail, PostList, PostStatus, PostTarget } from './post.ts'
import { SandboxCall, SandboxCallList, SandboxFault, SandboxFile } from './sandbox.ts'
import { Deleted } from './shared.ts'

/** Every named schema of the interface. Each becomes a component of the OpenAPI document. */
export const components = [
  Account,
  AccountAttention,
  AccountList,
  AccountOverride,
  App,
  AppList,
  ChooseAccounts,
  CompleteConnection,
  ConnectAccount,
  ...CONNECT_VARIANTS,
  ...CONNECT_CREDENTIALS,
  Connection,
  ConnectionChoice,
  ConnectionError,
  ConnectionState,
  CreateConnection,
  CreatedConnection,
  CreatePost,
  CreatedPost,
  Deleted,
  Delivery,
  DeliveryAttempt,
  DeliveryError,
  DeliveryState,
  ErrorBody,
  ImportMedia,
  Issue,
  Media,
  MediaKind,
  MediaList,
  PlatformId,
  Post,
  PostDetail,
  PostList,
  PostStatus,
  PostTarget,
  PostType,
  PublishedAct,
  PutApp,
  ResolveDelivery,
  SandboxCall,
  SandboxCallList,
  SandboxFault,
  SandboxFile,
  UpdateMedia,
  UploadMedia,
]
