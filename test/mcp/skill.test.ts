import { readFileSync } from 'node:fs'
import t from 'tap'
import { DELIVERY_STATES } from '../../schemas/delivery-states.ts'
import { TOOLS } from '../../src/features/mcp/tools.ts'

t.test('the skill names tools and states that exist, and every state', async (t) => {
  const skill = readFileSync(new URL('../../src/features/mcp/SKILL.md', import.meta.url), 'utf8')
  const known: readonly string[] = [...TOOLS.map(({ name }) => name), ...DELIVERY_STATES]
  const named = [...skill.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name!)
  t.strictSame(
    named.filter((name) => !known.includes(name)),
    [],
  )
  const rows = [...skill.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) => cell!.replaceAll('`', '').split(', '))
  t.strictSame(rows.sort(), [...DELIVERY_STATES].sort())
})
