import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ListedPost } from '../../../../clients/sdk/index.ts'
import type { Entry } from './entries.ts'

/** The posts that are selected, by their ids, and those that could be. */
export interface Selection {
  isOn: boolean
  posts: ReadonlyMap<string, ListedPost>
  toggle: (post: ListedPost) => void
  selectShown: () => void
  /** Begins, or ends with nothing selected. */
  setOn: (isOn: boolean) => void
  /** Tells that posts are shown, until the returned function is called. */
  show: (posts: readonly ListedPost[]) => () => void
}

/** The state that the views of the calendar share. */
export interface CalendarState {
  timeZone: string
  /** Moves an entry or a draft to a day, at its time or within another hour. */
  move: (entry: Entry, day: string, hour?: string) => void
  selection: Selection
}

/** The local time of today, which goes on. Apart from the others, because few elements show it. */
export const NowContext = createContext('')

export const CalendarContext = createContext<CalendarState | null>(null)

export const useCalendar = (): CalendarState => useContext(CalendarContext)!
