import t from 'tap'
import { SANDBOX_FAULTS, type SandboxFault } from '../../schemas/sandbox.ts'
import { type Kind, kindsOf, settle, uploadFiles } from '../helpers/network-scene.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'

// The rows of the sandbox in the table of networks × kinds of posts × faults: it makes no calls, so posts ask for its faults.

/** What becomes of the last act. */
interface Ending {
  /** Whether it is out when the delivery has settled. */
  isOut: boolean
  /** Absent where the delivery is published without an error. */
  error?: 'unauthorized' | 'content_refused' | 'unknown_outcome'
}

const ENDINGS: Record<SandboxFault, Ending> = {
  rate_limited: { isOut: true },
  server_error: { isOut: true },
  server_error_after: { isOut: true },
  timeout_after: { isOut: true },
  unknown: { isOut: true, error: 'unknown_outcome' },
  expired_token: { isOut: false, error: 'unauthorized' },
  content_refused: { isOut: false, error: 'content_refused' },
  slow_media: { isOut: true },
}

/** A comment that fails leaves the post published. */
function stateOf({ error }: Ending, { act }: Kind) {
  if (!error) return 'published'
  if (error === 'unknown_outcome') return 'unconfirmed'
  return act === 'comment' ? 'published' : 'failed'
}

t.test('sandbox: every act is sent once under each fault, and the delivery tells what became of it', async (t) => {
  const world = await createNetworkWorld(t)
  const { db, connect, post, retry } = world
  const account = await connect('sandbox')
  const countSent = async () =>
    (await db.selectFrom('sandboxCalls').select('id').where('accepted', '=', true).execute()).length
  for (const kind of kindsOf('sandbox')) {
    const mediaIds = await uploadFiles(world, kind)
    for (const fault of SANDBOX_FAULTS) {
      const name = `${kind.name}, ${fault}`
      const before = await countSent()
      const texts = kind.acts === 2 ? [`${name} 1`, `${name} 2`] : [name]
      const id = await post({
        accountIds: [account],
        postType: kind.postType,
        mediaIds,
        accountOverrides: [{ accountId: account, fields: { fault, faultAct: kind.acts } }],
        ...(kind.postType === 'thread' ? { threadParts: { [account]: texts } } : { caption: texts[0] }),
        ...(kind.act === 'comment' && { firstComment: texts[1] }),
      })
      const { state, error } = await settle(world, id)
      const ending = ENDINGS[fault]
      t.strictSame([state, error?.code], [stateOf(ending, kind), ending.error], name)
      t.equal((await countSent()) - before, ending.isOut ? kind.acts : kind.acts - 1, `${name}: calls accepted`)
      if (ending.isOut) continue
      t.equal((await retry(id, account)).status, 202, `${name}: retry`)
      const { state: later, error: other } = await settle(world, id)
      t.strictSame([later, other], ['published', null], `${name}, after a retry`)
      t.equal((await countSent()) - before, kind.acts, `${name}, after a retry: calls accepted`)
    }
  }
})
