import { registerHooks } from 'node:module'
import { createWorld } from '../helpers/app.ts'
import { send } from '../helpers/mcp.ts'

// Prints whether the SDK of MCP is loaded before the first message, and after it. In a process of its own, because an
// earlier test may have loaded it.

const SDK = '@modelcontextprotocol/server'
const resolved = new Set<string>()
registerHooks({
  resolve(specifier, context, next) {
    resolved.add(specifier)
    return next(specifier, context)
  },
})

const endings: (() => unknown)[] = []
const { app, user } = await createWorld({ teardown: (end) => void endings.unshift(end) })
const ada = await user()
await ada.call('GET', '/posts')
await ada.call('GET', '/mcp')
await app.inject({ method: 'POST', url: '/mcp', payload: {} })
const isLoadedBefore = resolved.has(SDK)
await send(ada, 'ping')
process.stdout.write(JSON.stringify({ isLoadedBefore, isLoadedAfter: resolved.has(SDK) }))
for (const end of endings) await end()
