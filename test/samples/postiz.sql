-- The columns of Postiz that the export reads, with their types, and posts of every kind.
create schema postiz;
set search_path = postiz;
create type "State" as enum ('QUEUE', 'PUBLISHED', 'ERROR', 'DRAFT');
create table "Integration" (
  id text primary key, name text not null, "providerIdentifier" text not null, profile text, "deletedAt" timestamp(3)
);
create table "Post" (
  id text primary key, state "State" not null, "publishDate" timestamp(3) not null, "integrationId" text not null,
  content text not null, "parentPostId" text, settings text, image text, "intervalInDays" int, "deletedAt" timestamp(3)
);
create table "Tags" (id text primary key, name text not null);
create table "TagsPosts" ("postId" text not null, "tagId" text not null);

insert into "Integration" values
  ('x', 'Ada', 'x', 'ada', null),
  ('page', 'Ada Lovelace', 'linkedin-page', null, null),
  ('pins', 'Lighthouses', 'pinterest', '@Lighthouses', null),
  ('slack', 'General', 'slack', 'general', null),
  ('gone', 'Bob', 'x', 'bob', null);
insert into "Post" (id, state, "publishDate", "integrationId", content, "parentPostId", settings, image, "intervalInDays") values
  ('first', 'QUEUE', '2030-01-15 09:30:00', 'x',
    '<p>We are <strong>live</strong>.</p><p>Ships &amp; sails: <a href="https://example.com/a?b=1&amp;c=2">here</a></p>',
    null, '{"__type":"x","who_can_reply_post":"following","community":""}',
    '[{"id":"1","path":"MEDIA/lighthouse.jpg","alt":"A lighthouse."}]', null),
  ('second', 'QUEUE', '2030-01-15 09:30:00', 'x', '<p>And open.</p>', 'first', '{}', '[]', null),
  ('third', 'QUEUE', '2030-01-15 09:30:00', 'x', 'Good night.', 'second', '{}',
    '[{"id":"4","path":"MEDIA/lighthouse.jpg","alt":"A lighthouse."}]', null),
  ('comments', 'QUEUE', '2030-01-16 09:30:00', 'page', 'Hello', null, '{"post_as_images_carousel":false}', '[]', 7),
  ('comment-1', 'QUEUE', '2030-01-16 09:30:00', 'page', 'More in our blog.', 'comments', '{}', '[]', null),
  ('draft', 'DRAFT', '2030-01-17 09:30:00', 'pins', 'Old towers', null,
    '{"board":"4711","title":"Towers"}', '[{"id":"2","path":"MEDIA/lighthouse.jpg","alt":"Another text."}]', null),
  ('lost-file', 'QUEUE', '2030-01-18 09:30:00', 'x', 'Gone', null, '{}', '[{"id":"3","path":"MEDIA/nothing.jpg"}]', null),
  ('article', 'QUEUE', '2030-01-19 09:30:00', 'x', 'Long', null, '{"post_type":"article","article_title":"Long"}', '[]', null),
  ('chat', 'QUEUE', '2030-01-20 09:30:00', 'slack', 'Hello, all', null, '{}', '[]', null),
  ('stranger', 'QUEUE', '2030-01-21 09:30:00', 'gone', 'Hello from Bob', null, '{}', '[]', null),
  ('late', 'QUEUE', '2020-01-15 09:30:00', 'x', 'Too late', null, '{}', '[]', null),
  ('sent', 'PUBLISHED', '2030-01-22 09:30:00', 'x', 'Sent', null, '{}', '[]', null);
insert into "Post" (id, state, "publishDate", "integrationId", content, "deletedAt") values
  ('deleted', 'QUEUE', '2030-01-23 09:30:00', 'x', 'Deleted', now());
insert into "Tags" values ('1', 'spring'), ('2', 'launch');
insert into "TagsPosts" values ('first', '1'), ('first', '2');
