import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createKeyring } from '../../src/credentials/keyring.ts'

const [OLD, NEW] = [randomBytes(32), randomBytes(32)]
const SECRET = 'abcd-efgh-ijkl-mnop'
const credentials = { identifier: 'ada.example.com', password: SECRET }

/** Each with one bit changed. */
const flipped = (bytes: Buffer): Buffer[] =>
  [...bytes.keys()].map((place) => Buffer.from(bytes.map((byte, at) => (at === place ? byte ^ 1 : byte))))

t.test('what is sealed opens for its account, and shows nothing of what it is', async (t) => {
  const keyring = createKeyring([OLD])
  const sealed = keyring.seal('a', credentials)
  t.strictSame(keyring.open('a', sealed), credentials)
  t.match(sealed.keyId, /^[0-9a-f]{8}$/)
  for (const bytes of [sealed.data, sealed.dataKey]) {
    t.notOk(bytes.includes(SECRET))
    t.notOk(bytes.includes(OLD))
  }
  const again = keyring.seal('a', credentials)
  t.notOk(again.data.equals(sealed.data), 'the same twice does not look the same')
  t.notOk(again.dataKey.equals(sealed.dataKey))
  for (const part of ['data', 'dataKey'] as const) {
    t.notOk(again[part].subarray(0, 12).equals(sealed[part].subarray(0, 12)), 'nor does one iv serve twice')
  }
  t.throws(() => keyring.open('a', { ...sealed, dataKey: again.dataKey }), 'and each has a key of its own')
})

t.test('it opens for no other account, nor when anything of it was changed', async (t) => {
  const keyring = createKeyring([OLD, NEW])
  const sealed = keyring.seal('a', credentials)
  const other = keyring.seal('b', { identifier: 'bob.example.com', password: 'other' })
  const wrong: [accountId: string, row: typeof sealed][] = [
    ['b', sealed],
    ['a', { ...sealed, data: other.data }],
    ['a', { ...sealed, dataKey: other.dataKey }],
    ['a', { ...sealed, keyId: createKeyring([NEW]).keyId }],
    ['a', { ...sealed, data: sealed.data.subarray(0, 20) }],
    ['a', { ...sealed, data: Buffer.alloc(0) }],
    ...flipped(sealed.data).map((data): [string, typeof sealed] => ['a', { ...sealed, data }]),
    ...flipped(sealed.dataKey).map((dataKey): [string, typeof sealed] => ['a', { ...sealed, dataKey }]),
  ]
  for (const [accountId, row] of wrong) {
    const error = t.throws(() => keyring.open(accountId, row), { message: RegExp(`the key ${row.keyId}`) }) as Error
    t.notMatch(error.stack, SECRET)
  }
  for (const [accountId, row] of [wrong[0]!, wrong[2]!, wrong[3]!]) {
    t.throws(() => keyring.rewrap(accountId, row), { message: RegExp(`the key ${row.keyId}`) })
  }
})

t.test('keys are changed by putting a new one first', async (t) => {
  const before = createKeyring([OLD]).seal('a', credentials)
  const both = createKeyring([NEW, OLD])
  t.strictSame(both.open('a', before), credentials, 'the old one still opens')
  t.equal(both.seal('a', credentials).keyId, createKeyring([NEW]).keyId, 'the new one is used')
  const after = both.rewrap('a', before)
  t.strictSame(createKeyring([NEW]).open('a', after), credentials, 'what is wrapped anew needs the old one no more')
  const unknown = `The credentials of account a need the key ${before.keyId}, which is not there`
  t.throws(() => createKeyring([NEW]).open('a', before), { message: unknown })
  t.throws(() => createKeyring([NEW]).rewrap('a', before), { message: unknown })
})

t.test('the same text has the same fingerprint under one key, and another one under another', async (t) => {
  const [fingerprint] = createKeyring([OLD]).fingerprints(SECRET)
  t.strictSame(createKeyring([OLD]).fingerprints(SECRET), [fingerprint])
  t.strictSame(createKeyring([NEW, OLD]).fingerprints(SECRET)[1], fingerprint, 'the key of now comes first')
  t.equal(
    new Set([...createKeyring([NEW, OLD]).fingerprints(SECRET), ...createKeyring([OLD]).fingerprints('a')]).size,
    3,
  )
})

t.test('a keyring has keys, and none that is too short', async (t) => {
  t.throws(() => createKeyring([]))
  t.throws(() => createKeyring([randomBytes(32), randomBytes(16)]))
})
