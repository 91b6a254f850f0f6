import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { PLANTED } from './planted.ts'

const PLANT = new URL('plant.ts', import.meta.url).href

export interface Lived {
  /** The first day that broke a promise; null if none did. */
  broken: number | null
  output: string
}

/** Lives days in a process of its own, from `seed` on, until one breaks a promise. `fault` is one of `PLANTED`. */
export async function live(seed: number, days: number, fault?: keyof typeof PLANTED): Promise<Lived> {
  const planted = fault === undefined ? [] : [`--import=${PLANT}`]
  const args = [...planted, 'test/simulation/simulate.ts', String(seed), String(days)]
  const env = { ...process.env, ...(fault !== undefined && { PLANTED: JSON.stringify(PLANTED[fault]) }) }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  const broken = /^seed (\d+) breaks/m.exec(output)?.[1]
  if (broken === undefined && child.exitCode !== 0) throw new Error(`the simulation of ${args.join(' ')} failed`)
  return { broken: broken === undefined ? null : Number(broken), output }
}
