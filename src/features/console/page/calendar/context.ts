import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Entry } from './entries.ts'

/** What the views of the calendar share. */
export interface CalendarState {
  timeZone: string
  /** The local time of today, which goes on. */
  now: string
  /** Moves an entry or a draft to a day, at its time or within another hour. */
  move: (entry: Entry, day: string, hour?: string) => void
}

export const CalendarContext = createContext<CalendarState | null>(null)

export const useCalendar = (): CalendarState => useContext(CalendarContext)!
