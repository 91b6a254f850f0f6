import t from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import * as bluesky from '../../src/platforms/bluesky/errors.ts'
import { type ErrorKeys, type ErrorRow, findRow } from '../../src/platforms/contract/error-table.ts'
import * as discord from '../../src/platforms/discord/errors.ts'
import * as facebook from '../../src/platforms/facebook/errors.ts'
import * as meta from '../../src/platforms/families/meta/errors.ts'
import * as googleBusiness from '../../src/platforms/google_business/errors.ts'
import * as linkedin from '../../src/platforms/linkedin/errors.ts'
import * as mastodon from '../../src/platforms/mastodon/errors.ts'
import * as pinterest from '../../src/platforms/pinterest/errors.ts'
import * as reddit from '../../src/platforms/reddit/errors.ts'
import * as telegram from '../../src/platforms/telegram/errors.ts'
import * as tiktok from '../../src/platforms/tiktok/errors.ts'
import type { Refusal } from '../../src/platforms/wire/call-network.ts'
import * as x from '../../src/platforms/x/errors.ts'
import * as youtube from '../../src/platforms/youtube/errors.ts'
import { refusalsOf } from '../helpers/network-refusals.ts'

interface Table {
  ERRORS: readonly ErrorRow[]
  keysOf(refusal: Refusal): ErrorKeys
}

const TABLES: Partial<Record<PlatformId, Table>> = {
  bluesky,
  discord,
  facebook,
  instagram: meta,
  threads: meta,
  google_business: googleBusiness,
  mastodon,
  linkedin: { ...linkedin, keysOf: (refusal) => linkedin.keysOf(refusal, false) },
  pinterest,
  reddit,
  telegram,
  tiktok: { ...tiktok, keysOf: (refusal) => tiktok.keysOf(refusal, false) },
  x,
  youtube,
}

/** Rows that other tests reach: of fresh tokens, drafts, single calls, and of proofs. */
const ELSEWHERE = ['fresh token', 'draft', 'videoNotFound', 'use_dpop_nonce']

t.test('each row of a table is one that a network has sent, and has a source', async (t) => {
  const problems: string[] = []
  for (const [id, { ERRORS, keysOf }] of Object.entries(TABLES)) {
    const sent = refusalsOf(id as PlatformId).map(({ reply: { status, body, headers } }) =>
      findRow(ERRORS, status, keysOf({ status, body, headers: new Headers(headers) })),
    )
    for (const row of ERRORS) {
      const isElsewhere = [row.code, row.subcode].some((key) => typeof key === 'string' && ELSEWHERE.includes(key))
      if (!sent.includes(row) && !isElsewhere) problems.push(`${id}: no refusal reaches "${row.note}"`)
      if (!/^https:\/\//.test(row.source)) problems.push(`${id}: "${row.note}" has no source`)
    }
  }
  t.strictSame(problems, [])
})
