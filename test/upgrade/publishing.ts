import pg from 'pg'

/** How publishing went in a span of time. */
export interface Publishing {
  perSecond: number
  longestPauseMs: number
  /** Rows of the tables that claims read, for one publication. Unlike the speed, independent of the machine. */
  rowsRead: number
}

interface Mark {
  at: Date
  rowsRead: number
}

/** Connects, and measures how the workers publish. */
export async function watchPublishing(url: string) {
  const client = new pg.Client(url)
  await client.connect()

  async function mark(): Promise<Mark> {
    const { rows } = await client.query(`
      select clock_timestamp() as at, sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as "rowsRead"
      from pg_stat_user_tables where relname in ('post_targets', 'accounts')`)
    return rows[0]
  }

  /** The publications of the workers between two marks. The ends count as publications, so that a pause has both. */
  async function between(start: Mark, end: Mark): Promise<Publishing> {
    const { rows } = await client.query(
      `
      with publication as (
        select published_at as at from post_targets where published_at between $1 and $2
        union all values ($1::timestamptz), ($2)
      )
      select count(*)::integer - 2 as count, max(pause) as "longestPauseMs"
      from (select 1000 * extract(epoch from at - lag(at) over (order by at))::float8 as pause from publication) as pauses`,
      [start.at, end.at],
    )
    const { count, longestPauseMs } = rows[0]
    return {
      perSecond: Math.round((1000 * count) / (end.at.getTime() - start.at.getTime())),
      longestPauseMs: Math.round(longestPauseMs),
      rowsRead: Math.round((end.rowsRead - start.rowsRead) / Math.max(1, count)),
    }
  }

  return { client, mark, between, close: () => client.end() }
}

export type Watch = Awaited<ReturnType<typeof watchPublishing>>
