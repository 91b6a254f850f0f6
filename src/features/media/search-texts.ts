import type { Db } from '../../../db/client.ts'
import { listUnsearchedFiles, type SearchedTexts, writeSearchTexts } from '../../../db/queries/media-search-texts.ts'
import { foldText } from '../../platforms/rules/fold-text.ts'

/** The texts of a file as searches compare them. */
export const searchTextOf = ({ fileName, altText, externalReference }: SearchedTexts): string =>
  foldText([fileName, altText, externalReference].filter((text) => text !== null).join(' '))

interface SearchPace {
  limit: number
  run<T>(work: () => Promise<T>): Promise<T>
  isOver(): boolean
}

/** Writes the texts of files that an earlier version has added or changed. Returns their number. */
export async function addSearchTexts(db: Db, pace: SearchPace): Promise<number> {
  let count = 0
  do {
    const { limit } = pace
    const files = await pace.run(async () => {
      const files = await listUnsearchedFiles(db, { limit })
      const named = files.map((file) => ({ ...file, searchText: searchTextOf(file) }))
      if (named.length > 0) await writeSearchTexts(db, named)
      return files
    })
    count += files.length
    if (files.length < limit) break
  } while (!pace.isOver())
  return count
}
