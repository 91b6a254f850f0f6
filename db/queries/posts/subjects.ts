import { sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { CaptionSuffix } from '../../../schemas/caption-suffix.ts'
import type { MediaFacts } from '../../../schemas/media.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { prepared } from '../../prepared.ts'
import {
  type AccountReadiness,
  type DefaultFields,
  digestOfFacts,
  isReady,
  reachableBy,
  readiness,
} from '../accounts.ts'
import { jsonList } from '../json-list.ts'

/** An account of a post, with the facts that the limits are checked against. */
export interface SubjectAccount extends AccountReadiness {
  id: string
  platform: PlatformId
  username: string
  externalId: string | null
  textLengthMax: number | null
  altTextLengthMax: number | null
  facts: AccountFacts | null
  /** A digest of `facts`, for comparison. */
  factsDigest: string | null
  defaultFields: DefaultFields | null
  captionSuffix: CaptionSuffix | null
  isReady: boolean
}

/** The accounts and files to which a post refers. */
interface PostSubjects {
  accounts: SubjectAccount[]
  media: MediaFacts[]
}

/** Why the bytes of a file are not there; null if they are. */
const missingReason = sql<MediaFacts['missing']>`case when media.kind is null then (
  select case
    when uploads.error is not null then uploads.error ->> 'message'
    when uploads.expires_at <= now() then 'its upload address has expired'
    else 'pending' end
  from uploads where uploads.user_id = media.user_id and uploads.media_id = media.id) end`

/** The accounts and media among these that the user may use, in one round trip. The ids must be UUIDs. */
export const readPostSubjects = prepared<{ userId: string; accountIds: string[]; mediaIds: string[] }, PostSubjects>(
  'read_post_subjects',
  (db, value) =>
    db
      .selectNoFrom((eb) => [
        eb
          .selectFrom('accounts')
          .leftJoin('accountCredentials', 'accountCredentials.accountId', 'accounts.id')
          .select((eb) =>
            jsonList(
              jsonBuildObject({
                id: eb.ref('id'),
                platform: eb.ref('platform'),
                username: eb.ref('username'),
                externalId: eb.ref('externalId'),
                textLengthMax: eb.ref('textLengthMax'),
                altTextLengthMax: eb.ref('altTextLengthMax'),
                facts: eb.ref('facts'),
                factsDigest: digestOfFacts,
                defaultFields: eb.ref('defaultFields'),
                captionSuffix: eb.ref('captionSuffix'),
                ...readiness,
                isReady,
              }),
            ),
          )
          .where('id', '=', sql<string>`any(${value('accountIds')}::uuid[])`)
          .where(reachableBy(value('userId')))
          .as('accounts'),
        eb
          .selectFrom('media')
          .select((eb) =>
            jsonList(
              jsonBuildObject({
                id: eb.ref('id'),
                mimeType: eb.ref('mimeType'),
                bytes: eb.ref('bytes'),
                width: eb.ref('width'),
                height: eb.ref('height'),
                durationSeconds: eb.ref('durationSeconds'),
                fps: eb.ref('fps'),
                frames: eb.ref('frames'),
                tracks: eb.ref('tracks'),
                pages: eb.ref('pages'),
                fileName: eb.ref('fileName'),
                kind: eb.ref('kind'),
                altText: eb.ref('altText'),
                focus: eb.ref('focus'),
                missing: missingReason,
              }),
            ),
          )
          .where('userId', '=', value('userId'))
          .where('id', '=', sql<string>`any(${value('mediaIds')}::uuid[])`)
          .as('media'),
      ])
      .$castTo<PostSubjects>(),
)
