/**
 * Reads the scheduled posts and drafts of a Postiz database, as one JSON array. Its public API returns neither files
 * nor the later posts of a thread. Times in the database are in UTC, without a zone.
 * https://github.com/gitroomhq/postiz-app/blob/main/libraries/nestjs-libraries/src/database/prisma/schema.prisma
 */
export const POSTIZ_EXPORT = `select coalesce(json_agg(json_build_object(
  'id', p.id,
  'parentPostId', p."parentPostId",
  'state', p.state,
  'publishDate', to_char(p."publishDate", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'intervalInDays', p."intervalInDays",
  'content', p.content,
  'image', p.image,
  'settings', p.settings,
  'tags', (
    select coalesce(json_agg(t.name order by t.name), '[]')
    from "TagsPosts" tp join "Tags" t on t.id = tp."tagId"
    where tp."postId" = p.id
  ),
  'network', i."providerIdentifier",
  'name', i.name,
  'profile', i.profile
) order by p."publishDate", p.id), '[]')
from "Post" p
join "Integration" i on i.id = p."integrationId"
where p.state in ('QUEUE', 'DRAFT') and p."deletedAt" is null and i."deletedAt" is null;
`
