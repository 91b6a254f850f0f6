import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { collectProblems } from '../helpers/problems.ts'

const [OLD, NEW] = [randomBytes(32), randomBytes(32)]
const SECRET = 'abcd-efgh-ijkl-mnop'
const credentials = { identifier: 'ada.example.com', password: SECRET }

function errorOf(work: () => unknown): Error | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Copies of `bytes`, each with one bit changed. */
const flipped = (bytes: Buffer): Buffer[] =>
  [...bytes.keys()].map((changed) => Buffer.from(bytes.map((byte, index) => (index === changed ? byte ^ 1 : byte))))

t.test('sealed credentials open for their account, and reveal nothing', async (t) => {
  const keyring = createKeyring([OLD])
  const sealed = keyring.seal('a', credentials)
  t.strictSame(keyring.open('a', sealed), credentials)
  t.match(sealed.keyId, /^[0-9a-f]{8}$/)
  for (const bytes of [sealed.data, sealed.dataKey]) {
    t.notOk(bytes.includes(SECRET))
    t.notOk(bytes.includes(OLD))
  }
  const again = keyring.seal('a', credentials)
  t.notOk(again.data.equals(sealed.data), 'sealing the same credentials again gives other data')
  t.notOk(again.dataKey.equals(sealed.dataKey))
  for (const part of ['data', 'dataKey'] as const) {
    t.notOk(again[part].subarray(0, 12).equals(sealed[part].subarray(0, 12)), 'an iv is not reused')
  }
  t.throws(() => keyring.open('a', { ...sealed, dataKey: again.dataKey }), 'each has its own data key')
})

t.test('sealed credentials do not open for another account, or after a change', async (t) => {
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
  const { problems, check } = collectProblems()
  for (const [index, [accountId, row]] of wrong.entries()) {
    const error = errorOf(() => keyring.open(accountId, row))
    check(
      error?.message.includes(`the key ${row.keyId}`),
      true,
      `row ${index} opens, or its error is "${error?.message}"`,
    )
    check(error?.stack?.includes(SECRET), false, `row ${index} shows the secret`)
  }
  t.strictSame(problems, [])
  for (const [accountId, row] of [wrong[0]!, wrong[2]!, wrong[3]!]) {
    t.throws(() => keyring.rewrap(accountId, row), { message: RegExp(`the key ${row.keyId}`) })
  }
})

t.test('a key is replaced by putting a new one first', async (t) => {
  const before = createKeyring([OLD]).seal('a', credentials)
  const both = createKeyring([NEW, OLD])
  t.strictSame(both.open('a', before), credentials, 'the old key still decrypts')
  t.equal(both.seal('a', credentials).keyId, createKeyring([NEW]).keyId, 'the new key encrypts')
  const after = both.rewrap('a', before)
  t.strictSame(createKeyring([NEW]).open('a', after), credentials, 'rewrapped credentials do not need the old key')
  const unknown = `The credentials of account a need the key ${before.keyId}, which is missing`
  t.throws(() => createKeyring([NEW]).open('a', before), { message: unknown })
  t.throws(() => createKeyring([NEW]).rewrap('a', before), { message: unknown })
})

t.test('a text has one fingerprint per key', async (t) => {
  const [fingerprint] = createKeyring([OLD]).fingerprints(SECRET)
  t.strictSame(createKeyring([OLD]).fingerprints(SECRET), [fingerprint])
  t.strictSame(
    createKeyring([NEW, OLD]).fingerprints(SECRET)[1],
    fingerprint,
    'the fingerprint of the current key is first',
  )
  t.equal(
    new Set([...createKeyring([NEW, OLD]).fingerprints(SECRET), ...createKeyring([OLD]).fingerprints('a')]).size,
    3,
  )
})

t.test('a keyring needs at least one key, and no short keys', async (t) => {
  t.throws(() => createKeyring([]))
  t.throws(() => createKeyring([randomBytes(32), randomBytes(16)]))
})
