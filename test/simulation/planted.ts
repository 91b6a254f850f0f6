/** Faults of the kinds that days have to find: what is replaced in which files. */
export const PLANTED: Record<string, { file: string; before: string; after: string }[]> = {
  'the intent is committed after the call': [
    {
      file: 'src/engine/delivery/send.ts',
      before: 'await intend(run, attempt, { act: attempt.number, state })',
      after: '',
    },
    {
      file: 'src/engine/delivery/send.ts',
      before: 'const result = await adapter.publish(act, io, prepared.ready)',
      after:
        'const result = await adapter.publish(act, io, prepared.ready); await intend(run, attempt, { act: attempt.number, state })',
    },
  ],
  'the lease is not compared': [
    {
      file: 'db/queries/delivery/intend.ts',
      before: 'where delivery.lease_token = intent.lease_token',
      after: 'where true',
    },
    {
      file: 'db/queries/delivery/settle.ts',
      before: 'where delivery.lease_token = item.lease_token and',
      after: 'where',
    },
  ],
  'a lost call is sent again without a query': [
    {
      file: 'src/engine/delivery/reconcile.ts',
      before: 'let found: Found\n',
      after: "let found: Found\n  if (found === undefined) return { event: 'absent' }\n",
    },
  ],
  'an event is written without its post': [
    {
      file: 'db/queries/posts/insert.ts',
      before: '      from post\n      join usable on usable.id = post.id\n    )\n    select usable.ordinal',
      after: '      from usable\n    )\n    select usable.ordinal',
    },
  ],
  'a slot is given twice': [
    {
      file: 'src/features/posts/queue/queues.ts',
      before: 'for (const { accountId, minutes } of taken) queues.get(accountId)!.count(minutes)\n',
      after: '',
    },
  ],
}
