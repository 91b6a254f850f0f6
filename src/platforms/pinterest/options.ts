import type { FieldOption, FieldOptions } from '../contract/adapter.ts'
import { object, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { clientFor, idOf, isId } from './client.ts'

/** Pages of 250 items each. Stops a list that never ends. */
const PAGES_MAX = 40

const NAMED = object({ id: TEXT, name: TEXT })

export const pinterestOptions: Readonly<Record<string, FieldOptions>> = {
  boardId: {
    async read(io) {
      const boards = await clientFor(io).list('/boards', NAMED, PAGES_MAX)
      // Only advertisements go to these.
      return { options: boards.filter((board) => at(board, 'is_ads_only') !== true).flatMap(toBoard) }
    },
  },
  boardSectionId: {
    needs: ['boardId'],
    async read(io, { boardId }) {
      const sections = await clientFor(io).list(`/boards/${idOf(boardId, 'boardId')}/sections`, NAMED, PAGES_MAX)
      return { options: sections.flatMap((section) => toOption(section)) }
    },
  },
}

/** `owner` tells the boards of others, which the account may add to. */
function toBoard(board: unknown): FieldOption[] {
  const details = {
    ...named('privacy', textAt(board, 'privacy')),
    ...named('owner', textAt(board, 'owner', 'username')),
    ...named('description', textAt(board, 'description')),
  }
  return toOption(board).map((option) => ({ ...option, details }))
}

function toOption(item: unknown): FieldOption[] {
  const value = textAt(item, 'id')
  const label = textAt(item, 'name')
  return isId(value) && label !== undefined ? [{ value, label }] : []
}

const named = (name: string, value: string | undefined) => (value ? { [name]: value } : {})
