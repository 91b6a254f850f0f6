import { Readable } from 'node:stream'
import t from 'tap'
import { callNetwork } from '../../src/platforms/wire/call-network.ts'
import { fileBody } from '../../src/platforms/wire/request-body.ts'
import { fileOf, rejection } from '../helpers/adapter-calls.ts'
import { startFake } from '../networks/fakes/network.ts'

t.test('a call may have arrived with its last byte, before the end of its file is read', async (t) => {
  const fake = await startFake(t, 'https://files.example', () => ({ status: 200 }))
  const giveUp = new AbortController()
  fake.faults.push({ on: 'PUT /', instead: () => giveUp.abort() })
  const withoutEnd = new Readable({ read: () => {} })
  withoutEnd.push('bytes')
  const rules = { host: 'files.example', secrets: [], words: () => undefined, errors: [] }
  const io = { fetch: fake.fetch, signal: giveUp.signal }
  const body = fileBody(fileOf('image/png', { open: async () => withoutEnd }))
  const call = callNetwork(rules, io, 'https://files.example/', {
    method: 'PUT',
    body,
    visible: true,
    answer: 'status',
  })
  t.has(await rejection(call), { code: 'timeout', maybeSent: true, retryable: true })
})
