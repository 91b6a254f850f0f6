/** The facts that networks limit, from a sequence parameter set. */
interface SequenceFacts {
  /** 0 to 3: 4:0:0, 4:2:0, 4:2:2, 4:4:4. */
  chromaFormat: number
  bitDepth: number
  /** Whether a frame may be coded as two fields. */
  hasFields: boolean
  /** Whether fields are chosen for each pair of macroblocks, inside of a frame. */
  isAdaptive: boolean
}

/** The profiles that state a chroma format. */
const WITH_CHROMA_FORMAT = [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 144, 244]

/** Reads a sequence parameter set of H.264: ITU-T H.264, 7.3.2.1.1. Throws if it ends early. */
export function readSequence(unit: Uint8Array): SequenceFacts {
  const bits = new Bits(withoutEmulationPrevention(unit))
  // The header of the unit.
  bits.skip(8)
  const profile = bits.read(8)
  // Constraints and level.
  bits.skip(16)
  bits.readNumber()
  const facts = { chromaFormat: 1, bitDepth: 8 }
  if (WITH_CHROMA_FORMAT.includes(profile)) {
    facts.chromaFormat = bits.readNumber()
    if (facts.chromaFormat === 3) bits.skip(1)
    facts.bitDepth = 8 + bits.readNumber()
    if (facts.bitDepth > 14) throw new Error('The sequence parameter set states an invalid bit depth')
    bits.readNumber()
    bits.skip(1)
    if (bits.read(1)) skipScalingLists(bits, facts.chromaFormat === 3 ? 12 : 8)
  }
  bits.readNumber()
  skipPictureOrder(bits)
  // The number of reference frames, gaps, width and height.
  bits.readNumber()
  bits.skip(1)
  bits.readNumber()
  bits.readNumber()
  const hasFields = bits.read(1) === 0
  return { ...facts, hasFields, isAdaptive: hasFields && bits.read(1) === 1 }
}

function skipScalingLists(bits: Bits, count: number): void {
  for (let list = 0; list < count; list++) {
    if (!bits.read(1)) continue
    let scale = 8
    for (let index = 0; index < (list < 6 ? 16 : 64) && scale !== 0; index++) {
      scale = (scale + bits.readSigned() + 256) % 256
    }
  }
}

function skipPictureOrder(bits: Bits): void {
  const type = bits.readNumber()
  if (type === 0) bits.readNumber()
  if (type !== 1) return
  bits.skip(1)
  bits.readNumber()
  bits.readNumber()
  for (let count = bits.readNumber(); count > 0; count--) bits.readNumber()
}

/** Removes the 3 of each 0 0 3: ITU-T H.264, 7.4.1. */
const withoutEmulationPrevention = (bytes: Uint8Array) =>
  bytes.filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0))

class Bits {
  readonly #bytes: Uint8Array
  #position = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  skip(count: number): void {
    this.#position += count
  }

  read(count: number): number {
    let value = 0
    for (let left = count; left > 0; left--) {
      const byte = this.#bytes[this.#position >> 3]
      if (byte === undefined) throw new Error('The sequence parameter set ends early')
      value = value * 2 + ((byte >> (7 - (this.#position & 7))) & 1)
      this.#position++
    }
    return value
  }

  /** Exp-Golomb: as many zeros as bits follow the first one. */
  readNumber(): number {
    let zeros = 0
    while (this.read(1) === 0) zeros++
    return 2 ** zeros - 1 + this.read(zeros)
  }

  readSigned(): number {
    const value = this.readNumber()
    return value % 2 ? (value + 1) / 2 : -value / 2
  }
}
