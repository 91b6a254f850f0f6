import type { Act, Adapter, Sent, Unidentified } from '../../contract/adapter.ts'
import type { Io } from '../../contract/io.ts'
import { impossible, notFinishedInTime, PublishError } from '../../contract/publish-error.ts'
import { object, TEXT } from '../../wire/answer.ts'
import { beginAgain, type Failures, mayBeginAgain } from '../../wire/begin-again.ts'
import { textAt } from '../../wire/json.ts'
import { growingPauseMs, lookAgain, searchFor } from '../../wire/lost-response.ts'
import { get, isNotFound, type MetaApi, permalinkOf, post } from './api.ts'

// Instagram and Threads fill a container first, and publish it with a second call. The status of the container tells
// whether it was published, also after a lost response:
// https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-container
// https://developers.facebook.com/docs/threads/troubleshooting

export type Parameters = Record<string, string>

/** The containers of one act. */
export interface ContainerPlan {
  /** The items of a carousel. */
  children: Parameters[]
  /** The container that is published. */
  parent(childIds: readonly string[]): Parameters
}

export interface ContainerNetwork {
  /** For messages. */
  name: string
  client(io: Io): MetaApi
  /** Throws for content that the network cannot show, before anything is sent. */
  plan(act: Act, io: Io): ContainerPlan
  /** Paths of the calls that create and publish. */
  createPath(io: Io): string
  publishPath(io: Io): string
  statusFields: string
  statusField: 'status' | 'status_code'
  problemField: 'error_message' | 'status'
  /** Whether a new container may succeed after one had this problem. */
  isPassing(problem: string): boolean
  /** Finds the published post by its content; undefined if no post matches. */
  find(act: Act, io: Io, childIds: readonly string[]): Promise<Sent | 'several' | undefined>
}

/** The containers of an act, as they are stored with its delivery. */
export type Containers = Failures & {
  childIds: string[]
  /** The container that is published; null until its children are finished. */
  id: string | null
  /** How often in a row the network was looked at. */
  looks: number
  /** Whether it may have been published. */
  wasReady: boolean
  /** It is published, and its id is searched for. */
  isPublished: boolean
}

export const NO_CONTAINERS: Containers = {
  childIds: [],
  id: null,
  looks: 0,
  wasReady: false,
  isPublished: false,
  failures: 0,
}

/** Looks for a container, or for the post that it replies to, that the network does not show. */
const NOT_FOUND_LOOKS_MAX = 10

/** When a container that is finished is read again: its publication may still be under way. */
const FINISHED = searchFor([10_000, 30_000, 120_000, 600_000])

/** When a published post is searched for again. */
export const PUBLISHED = searchFor([5_000, 20_000, 60_000, 300_000])

/** The course after a lost response. */
export const CONTAINER_DESCRIPTION = `The status of the container tells whether the act is live. One that stays finished ${FINISHED.words} is published again. A live act is searched for by its content ${PUBLISHED.words}. If its id cannot be found, it is \`published\` with \`externalId\` null.`

/** Meta advises a look per minute, its samples look every 5 seconds. Texts are finished within a second or two. */
const pauseMs = (looks: number) => growingPauseMs(looks, 2_000, 30_000)

const later = (state: Containers, afterMs = pauseMs(state.looks)) => ({ later: { state, afterMs } })
const processing = (state: Containers, afterMs: number) => ({ processing: { state, afterMs } })

type Methods = Required<Pick<Adapter<Containers>, 'prepare' | 'publish' | 'reconcile'>>

/** The methods of an adapter for a network that publishes containers. */
export const containerMethods = (network: ContainerNetwork): Methods => ({
  prepare: (act, io, saved) => prepare(network, act, io, saved ?? NO_CONTAINERS),
  publish: (_act, io, ready) => publish(network, io, ready),
  reconcile: async (act, io, ready) => (ready?.id ? reconcile(network, act, io, ready, ready.id) : 'unknown'),
})

async function prepare(network: ContainerNetwork, act: Act, io: Io, state: Containers) {
  const plan = network.plan(act, io)
  if (state.id === null && state.childIds.length === 0) return createFirst(network, act, io, plan, state)
  const { status, problem } = await readAll(network, state.id === null ? state.childIds : [state.id], io)
  switch (status) {
    case 'FINISHED':
      if (state.id === null) return createParent(network, act, io, plan.parent(state.childIds), { ...state, looks: 0 })
      return { ready: { ...state, looks: 0, wasReady: true } }
    case 'PUBLISHED':
      return { ready: { ...state, looks: 0, isPublished: true } }
    case 'ERROR':
    case 'EXPIRED':
      return startAgain(network, state, status, problem)
    case 'NOT_FOUND':
      // One that may have been published is never replaced.
      if (!state.wasReady && state.looks >= NOT_FOUND_LOOKS_MAX) return startAgain(network, state, 'ERROR', problem)
  }
  return later({ ...state, looks: state.looks + 1 })
}

async function publish(network: ContainerNetwork, io: Io, ready: Containers) {
  if (ready.isPublished) return processing(ready, 0)
  const api = network.client(io)
  let id: string
  try {
    id = await post(api, io, network.publishPath(io), { creation_id: ready.id! }, true)
  } catch (error) {
    // The next attempt reads the container before it publishes it.
    if (isNotFound(error)) throw notFinishedInTime(error.message)
    throw error
  }
  return { id, url: await readPermalink(api, io, id) }
}

async function reconcile(network: ContainerNetwork, act: Act, io: Io, ready: Containers, id: string) {
  if (ready.isPublished) return identify(network, act, io, ready)
  const { status } = await read(network, id, io)
  switch (status) {
    case 'PUBLISHED':
      return identify(network, act, io, ready)
    case 'FINISHED': {
      const again = lookAgain(ready, 'absent', FINISHED)
      if (again !== 'absent') return again
      // No page says what a container does that is published twice.
      return (await network.find(act, io, ready.childIds)) ? 'unknown' : 'absent'
    }
    case 'ERROR':
    case 'EXPIRED':
      return 'absent'
    default:
      return processing(ready, pauseMs(4))
  }
}

/** Creates a container; null if the network does not show the post that it replies to yet. */
async function create(network: ContainerNetwork, act: Act, io: Io, parameters: Parameters): Promise<string | null> {
  try {
    return await post(network.client(io), io, network.createPath(io), parameters, false)
  } catch (error) {
    if (act.parent && isNotFound(error)) return null
    throw error
  }
}

async function createFirst(
  network: ContainerNetwork,
  act: Act,
  io: Io,
  { children, parent }: ContainerPlan,
  state: Containers,
) {
  const childIds: string[] = []
  for (const child of children) childIds.push((await create(network, act, io, child))!)
  return children.length > 0 ? later({ ...state, childIds }) : createParent(network, act, io, parent([]), state)
}

async function createParent(network: ContainerNetwork, act: Act, io: Io, parameters: Parameters, state: Containers) {
  const id = await create(network, act, io, parameters)
  if (id !== null) return later({ ...state, id, looks: 0 })
  if (state.looks >= NOT_FOUND_LOOKS_MAX) throw notFinishedInTime(`${network.name} does not show the post to reply to`)
  return later({ ...state, looks: state.looks + 1 })
}

async function read(network: ContainerNetwork, id: string, io: Io): Promise<{ status: string; problem: string }> {
  try {
    const answer = object({ [network.statusField]: TEXT })
    const body = await get(network.client(io), io, id, { fields: network.statusFields }, answer)
    return { status: textAt(body, network.statusField)!, problem: textAt(body, network.problemField) ?? '' }
  } catch (error) {
    if (isNotFound(error)) return { status: 'NOT_FOUND', problem: '' }
    throw error
  }
}

/** The first status that is not FINISHED. */
async function readAll(network: ContainerNetwork, ids: readonly string[], io: Io) {
  for (const id of ids) {
    const container = await read(network, id, io)
    if (container.status !== 'FINISHED') return container
  }
  return { status: 'FINISHED', problem: '' }
}

function startAgain(network: ContainerNetwork, state: Containers, status: string, problem: string) {
  if (status !== 'ERROR') return later({ ...NO_CONTAINERS, failures: state.failures }, pauseMs(0))
  if (mayBeginAgain(state) && network.isPassing(problem)) return beginAgain(NO_CONTAINERS, state)
  throw impossible(`${network.name} could not process the post${problem && `: ${problem}`}`)
}

/** Searches for a post that is live. Its id stays unknown if the search finds none, or several. */
async function identify(network: ContainerNetwork, act: Act, io: Io, state: Containers) {
  const looks = state.isPublished ? state.looks : 0
  try {
    const sent = await network.find(act, io, state.childIds)
    if (typeof sent === 'object') return { ...sent, isOut: true as const }
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    if (!error.retryable) return UNIDENTIFIED
  }
  return lookAgain({ ...state, isPublished: true, looks }, UNIDENTIFIED, PUBLISHED)
}

/** It is live, and cannot be told from others. */
const UNIDENTIFIED: Unidentified = { id: null, url: null }

/** The post is out whether or not its address can be read. */
async function readPermalink(api: MetaApi, io: Io, id: string): Promise<string | null> {
  try {
    return permalinkOf(await get(api, io, id, { fields: 'id,permalink' }, object()))
  } catch (error) {
    if (error instanceof PublishError) return null
    throw error
  }
}
