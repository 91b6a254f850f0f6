import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../db/client.ts'
import { sweepIfDue } from '../../src/features/retention/sweeper.ts'
import { DAY_MS, sweeperOf } from '../helpers/sweeps.ts'

/** Sweeps posts in the database at DATABASE_URL, with short rests: a test kills this process meanwhile. */
const { DATABASE_URL: url = '', MEDIA_DIR: mediaDir = '' } = process.env
const db = connect({ url })
const deps = sweeperOf({ db, mediaDir }, { retention: { postsMs: 30 * DAY_MS }, pause: () => pause(20) })
await sweepIfDue(deps, new AbortController().signal)
await db.destroy()
