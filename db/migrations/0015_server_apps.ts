import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/** Apps that Postroom registers with servers that users name. */
export const steps: Step[] = [
  // The server and the redirect URI that a registered app is valid for. Such an app has no owner.
  (db) =>
    sql`
      alter table oauth_apps
        add column server text,
        add column redirect_uri text,
        drop constraint oauth_apps_owner,
        add constraint oauth_apps_owner check (num_nonnulls(user_id, organization_id, server) = 1)`.execute(db),
  concurrentIndex(
    'oauth_apps_of_server',
    sql`oauth_apps (platform, server, redirect_uri) where server is not null and replaced_at is null`,
    { unique: true },
  ),
]
