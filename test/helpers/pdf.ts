import { createHash } from 'node:crypto'

/** A PDF with as many empty pages. `isEncrypted`: everybody may read it, by an empty password, and not change it. */
export function pdf(pages: number, { isEncrypted = false, bytes = 0 } = {}): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ')
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages}/Kids[${kids}]>>`,
    ...Array.from({ length: pages }, () => '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>'),
    ...(bytes > 0 ? [`<</Length ${bytes}>>stream\n${'x'.repeat(bytes)}\nendstream`] : []),
  ]
  let text = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const more = isEncrypted ? encryption() : ''
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R${more}>>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  )
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')

/** The standard security handler, revision 2: algorithms 2 and 4 of ISO 32000-1, 7.6.3. */
function encryption(): string {
  const owner = Buffer.alloc(32, 7)
  const id = Buffer.alloc(16, 9)
  const permissions = Buffer.from('fcffffff', 'hex')
  const key = createHash('md5').update(PADDING).update(owner).update(permissions).update(id).digest().subarray(0, 5)
  const [hexOwner, hexUser, hexId] = [owner, rc4(key, PADDING), id].map((part) => part.toString('hex'))
  return `/ID[<${hexId}><${hexId}>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${hexOwner}>/U<${hexUser}>>>`
}

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index)
  const swap = (a: number, b: number) => {
    const held = state[a]!
    state[a] = state[b]!
    state[b] = held
  }
  for (let index = 0, other = 0; index < 256; index++) {
    other = (other + state[index]! + key[index % key.length]!) & 255
    swap(index, other)
  }
  let [index, other] = [0, 0]
  return Buffer.from(data).map((byte) => {
    index = (index + 1) & 255
    other = (other + state[index]!) & 255
    swap(index, other)
    return byte ^ state[(state[index]! + state[other]!) & 255]!
  }) as Buffer
}
