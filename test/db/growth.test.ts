import pg from 'pg'
import t, { type Test } from 'tap'
import type { Server } from '../../db/connection.ts'
import { limitGrowth } from '../../db/growth.ts'
import { QUERY_READ_TIMEOUT } from '../../db/unavailable.ts'

/** A pool that may open ten connections and has four, which opens none by itself. */
function createScene(t: Test) {
  const scene = { now: 1_000_000, lines: [] as string[] }
  t.intercept(performance, 'now', { value: () => scene.now })
  const pool = new pg.Pool({ max: 10 })
  const growth = limitGrowth(pool, { open: 4 } as Server, (line) => void scene.lines.push(line))
  t.teardown(growth.stop)
  const isTold = () => growth.explain(new Error()) !== undefined
  return Object.assign(scene, { pool, growth, isTold })
}

const late = new Error(QUERY_READ_TIMEOUT)

t.test('a database that is slow for a moment does not give too few connections', async (t) => {
  const scene = createScene(t)
  const { pool, growth, lines, isTold } = scene
  growth.refused(late)
  scene.now += 9_000
  growth.refused(late)
  t.strictSame([lines, isTold()], [[], false])
  t.equal(pool.options.max, 4, 'it works with those that are open meanwhile')
  pool.emit('connect', new pg.Client())
  scene.now += 9_000
  growth.refused(late)
  t.strictSame([lines, isTold()], [[], false], 'a response in time begins the count again')
})

t.test('a server that never responds on new connections gives too few, which is told once a minute', async (t) => {
  const scene = createScene(t)
  const { growth, lines, isTold } = scene
  for (let times = 0; times < 7; times++) {
    growth.refused(late)
    scene.now += 10_000
  }
  t.match(lines, [/gives this process 4 of the 10 connections/])
  growth.refused(late)
  t.equal(lines.length, 2)
  t.ok(isTold())
  scene.now += 10_000
  t.notOk(isTold(), 'errors of later callers have other reasons')
})

t.test('a connection that is refused is told immediately', async (t) => {
  const { growth, lines, isTold } = createScene(t)
  growth.refused(new Error('sorry, too many clients already'))
  t.equal(lines.length, 1)
  t.ok(isTold())
})
