import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Files that are uploaded to an address: the file has a row in `media`, without kind and bytes, from the beginning. */
export const steps: Step[] = [
  async (db) => {
    await sql`
      create table uploads (
        user_id uuid not null,
        media_id uuid not null,
        -- The address ends with the key that has asked for it.
        key_id uuid not null references api_keys on delete cascade,
        expires_at timestamptz not null,
        -- Null if the client does not know them before.
        bytes bigint,
        sha256 bytea,
        -- The request that may add bytes. A later one takes over.
        writer uuid,
        -- The end of the lease of the writer while it checks and stores the whole file: no other one takes over.
        leased_until timestamptz,
        -- Why the file was rejected: a code and a message.
        error jsonb,
        primary key (user_id, media_id),
        foreign key (user_id, media_id) references media on delete cascade)`.execute(db)
    await sql`
      create table upload_parts (
        user_id uuid not null,
        media_id uuid not null,
        first_byte bigint not null,
        bytes bigint not null,
        storage_key text not null,
        primary key (user_id, media_id, first_byte),
        foreign key (user_id, media_id) references uploads on delete cascade)`.execute(db)
    await sql`
      create trigger upload_parts_stage after delete on upload_parts for each row
        execute function stage_rendition()`.execute(db)
    await sql`create index uploads_expires_at on uploads (expires_at)`.execute(db)
    await sql`create index uploads_key_id on uploads (key_id)`.execute(db)
  },
]
