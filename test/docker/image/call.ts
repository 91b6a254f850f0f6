import { form } from '../../helpers/upload.ts'
import type { Container } from './container.ts'

/** Runs in the container, whose network is not that of the test. */
const SCRIPT = `
const [method, path, key, type, body] = process.argv.slice(1)
const response = await fetch('http://127.0.0.1:3000/api/v1' + path, {
  method,
  headers: { authorization: 'Bearer ' + key, 'content-type': type },
  ...(body && { body: Buffer.from(body, 'base64') }),
})
const text = await response.text()
if (!response.ok) throw new Error(method + ' ' + path + ': ' + response.status + ' ' + text)
process.stdout.write(text)
`

interface Request {
  method: 'GET' | 'POST'
  path: string
  key: string
  type?: string
  body?: Buffer | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Json = any

async function send(
  container: Container,
  { method, path, key, type = 'application/json', body }: Request,
): Promise<Json> {
  const args = [method, path, key, type, ...(body ? [body.toString('base64')] : [])]
  return JSON.parse(await container.exec('node', '--input-type=module', '--eval', SCRIPT, '--', ...args))
}

/** Calls the API of a container, and returns the body. Rejects if the response is an error. */
export const get = (container: Container, key: string, path: string) => send(container, { method: 'GET', path, key })

export const post = (container: Container, key: string, path: string, body: object) =>
  send(container, { method: 'POST', path, key, body: Buffer.from(JSON.stringify(body)) })

export async function uploadFile(container: Container, key: string, bytes: Buffer) {
  return send(container, { method: 'POST', path: '/media', key, ...(await form([['file', bytes]])) })
}
