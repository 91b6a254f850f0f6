import { useEffect, useRef } from 'preact/hooks'
import { useLoad } from '../hooks.ts'
import { useSession } from '../session.ts'

/** Several changes in a row are shown together. */
const PAUSE_MS = 500

const isBusy = () => document.querySelector('.dragging, dialog[open]') !== null

/** Calls `onChange` soon after a post or a delivery has changed. Nothing changes under a hand that drags. */
export function useChanges(onChange: () => void): void {
  const { client } = useSession()
  const call = useRef(onChange)
  call.current = onChange
  const timer = useRef<number | undefined>(undefined)
  const wait = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      if (isBusy()) wait()
      else call.current()
    }, PAUSE_MS)
  }
  useLoad(
    async (signal) => {
      const query = { after: 'now', types: ['post.*' as const, 'delivery.*' as const] }
      for await (const { data } of client.events.follow(query, { signal, maxRetries: 0 }).pages()) {
        if (data.length > 0) wait()
      }
    },
    [client],
  )
  useEffect(() => () => clearTimeout(timer.current), [])
}
