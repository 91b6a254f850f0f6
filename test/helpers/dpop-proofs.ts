import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Refused } from '../networks/fakes/network.ts'

interface Jwt {
  header: { typ?: string; alg: string; kid?: string; jwk?: JsonWebKey }
  claims: Record<string, unknown>
}

/** Reads a JWT. Throws if it is not signed with `key`, or else with the key in its header. */
export function readJwt(text: string, key?: JsonWebKey): Jwt {
  const [header, claims, signature] = text.split('.') as [string, string, string]
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const jwt: Jwt = { header: parse(header), claims: parse(claims) }
  const publicKey = createPublicKey({ key: (key ?? jwt.header.jwk)!, format: 'jwk' })
  const input = Buffer.from(`${header}.${claims}`)
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  if (jwt.header.alg !== 'ES256' || !verify('sha256', input, options, Buffer.from(signature, 'base64url'))) {
    throw new Refused({ status: 400, body: { error: 'invalid_dpop_proof', error_description: 'Wrong signature' } })
  }
  return jwt
}

/** RFC 7638 */
const thumbprintOf = ({ crv, kty, x, y }: JsonWebKey) =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')

/** A server that checks proofs (RFC 9449) as https://atproto.com/specs/oauth demands. */
export function createProofCheck(isPds: boolean) {
  const seen = new Set<unknown>()
  const state = { nonce: 'nonce-1' }

  const refuse = (error: string, message: string): never => {
    const headers = { 'dpop-nonce': state.nonce }
    if (isPds) throw new Refused({ status: 401, body: { error, message }, headers })
    throw new Refused({ status: 400, body: { error, error_description: message }, headers })
  }

  /** Returns the thumbprint of the key of a call. */
  function check(method: string, url: string, headers: IncomingHttpHeaders, token?: string): string {
    const { header, claims } = readJwt(String(headers.dpop ?? ''))
    const { htm, htu, iat, jti, ath, nonce } = claims
    const isOfCall = htm === method && htu === url && header.typ === 'dpop+jwt' && header.jwk && !('d' in header.jwk)
    if (!isOfCall || Math.abs(Number(iat) - Date.now() / 1000) > 300) refuse('invalid_dpop_proof', 'Wrong proof')
    if (typeof jti !== 'string' || seen.has(jti)) refuse('invalid_dpop_proof', 'Repeated proof')
    seen.add(jti)
    if (nonce !== state.nonce) refuse('use_dpop_nonce', 'Authorization server requires nonce in DPoP proof')
    const expected = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url')
    if (ath !== expected) refuse('invalid_dpop_proof', 'Wrong hash of the token')
    return thumbprintOf(header.jwk!)
  }
  return { state, check, refuse }
}
