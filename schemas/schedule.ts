import { type Static, Type } from '@sinclair/typebox'
import { ZoneName } from './create-post.ts'
import { POST_ID } from './delivery.ts'
import { HORIZON_DAYS } from './errors.ts'
import { Defaulted, Limit, PAGE, Ref, StringEnum } from './shared.ts'

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

/** The maximum of slots in a week: one an hour. */
const WEEK_SLOTS_MAX = 168

export const SLOT_TIME = '^(?:[01]\\d|2[0-3]):[0-5]\\d$'
export const SKIPPED_DATE = '^\\d{4}-\\d\\d-\\d\\d$'

export const WeeklySlot = Type.Object(
  {
    weekday: StringEnum(WEEKDAYS, { description: 'The day of the week.' }),
    time: Type.String({ pattern: SLOT_TIME, description: 'The time of day in `timeZone`, as `HH:MM`.' }),
  },
  {
    $id: 'WeeklySlot',
    additionalProperties: false,
    description: 'A time of the week at which one post may be published.',
    examples: [{ weekday: 'monday', time: '09:30' }],
  },
)
export type WeeklySlot = Static<typeof WeeklySlot>

export const SCHEDULE_EXAMPLES = {
  weekdays: {
    timeZone: 'Europe/Berlin',
    slots: [
      { weekday: 'monday' as const, time: '09:30' },
      { weekday: 'monday' as const, time: '17:00' },
      { weekday: 'thursday' as const, time: '09:30' },
    ],
    skip: ['2027-01-01'],
  },
  none: { timeZone: 'Europe/Berlin', slots: [] },
}

const timeZone = () =>
  ZoneName('The IANA name of the time zone of the slots, such as `Europe/Berlin`, in any case. There is no default.')

const skip = Type.Array(Type.String({ pattern: SKIPPED_DATE }), {
  maxItems: HORIZON_DAYS,
  description: `Local dates without slots, such as \`2027-01-01\`, at most ${HORIZON_DAYS}. Default: none.`,
})

export const PutSchedule = Type.Object(
  {
    timeZone: timeZone(),
    slots: Type.Array(Ref(WeeklySlot), {
      maxItems: WEEK_SLOTS_MAX,
      description: `The slots of a week, each once, at most ${WEEK_SLOTS_MAX}. An empty list ends the queue: posts that are scheduled stay.`,
    }),
    skip: Defaulted(skip, []),
  },
  {
    $id: 'PutSchedule',
    additionalProperties: false,
    description: 'The whole schedule of an account. Unknown keys are rejected.',
    examples: Object.values(SCHEDULE_EXAMPLES),
  },
)
export type PutSchedule = Static<typeof PutSchedule>

export const AccountSchedule = Type.Object(
  {
    timeZone: timeZone(),
    slots: Type.Array(Ref(WeeklySlot), { description: 'The slots, in the order of the week.' }),
    skip: Type.Array(Type.String(), { description: 'The local dates without slots, in order.' }),
  },
  {
    $id: 'AccountSchedule',
    description: 'The times at which queued posts are published to an account.',
    examples: [SCHEDULE_EXAMPLES.weekdays],
  },
)
export type AccountSchedule = Static<typeof AccountSchedule>

export const ListSlotsQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Only slots at or after this time, with `Z` or an offset. An earlier time than now counts as now, the default.',
    }),
  ),
  limit: Defaulted(
    Limit({
      default: PAGE.limitDefault,
      examples: [PAGE.limitDefault],
      description: `The maximum number of slots: 1 to ${PAGE.limitMax}. Default: ${PAGE.limitDefault}.`,
    }),
    PAGE.limitDefault,
  ),
})
export type ListSlotsQuery = Static<typeof ListSlotsQuery>

const Slot = Type.Object(
  {
    scheduledAt: Type.String({ format: 'date-time', description: 'The instant of the slot, in UTC.' }),
    scheduledAtLocal: Type.String({
      description:
        'What the clocks of `timeZone` show then. It differs from the `time` of a slot that the clocks skip.',
    }),
    isTaken: Type.Boolean({
      description: 'Whether a post is going to be published to the account in this minute, or has been.',
    }),
    postId: Type.Optional(
      Type.String({
        description: 'The id of that post. Absent for a post that `getPost` does not return as yours.',
      }),
    ),
  },
  {
    $id: 'Slot',
    description: 'A slot of an account.',
    examples: [
      {
        scheduledAt: '2027-01-11T08:30:00.000Z',
        scheduledAtLocal: '2027-01-11T09:30:00',
        isTaken: true,
        postId: POST_ID,
      },
      { scheduledAt: '2027-01-11T16:00:00.000Z', scheduledAtLocal: '2027-01-11T17:00:00', isTaken: false },
    ],
  },
)

export const SlotList = Type.Object(
  {
    timeZone: timeZone(),
    data: Type.Array(Ref(Slot), { description: `The slots in order, of the next ${HORIZON_DAYS} days.` }),
  },
  {
    $id: 'SlotList',
    description: 'The next slots of an account.',
    examples: [{ timeZone: 'Europe/Berlin', data: Slot.examples }],
  },
)
export type SlotList = Static<typeof SlotList>

const MovedPost = Type.Object(
  {
    postId: Type.String({ description: 'The id of the post.' }),
    from: Type.String({ format: 'date-time', description: 'The slot that it had, in UTC.' }),
    scheduledAt: Type.String({ format: 'date-time', description: 'The slot that it has now, in UTC.' }),
  },
  {
    $id: 'MovedPost',
    description: 'A post that has another slot of the account.',
    examples: [{ postId: POST_ID, from: '2027-01-11T08:30:00.000Z', scheduledAt: '2027-01-12T08:00:00.000Z' }],
  },
)

export const RearrangedQueue = Type.Object(
  {
    moved: Type.Array(Ref(MovedPost), { description: 'The posts that have other slots now, in their order.' }),
    stayed: Type.Integer({
      minimum: 0,
      description:
        'How many other posts of the queue have the slots that they had: they are there already, or they cannot be moved.',
    }),
  },
  {
    $id: 'RearrangedQueue',
    description: 'The queue of an account after its posts were moved.',
    examples: [{ moved: MovedPost.examples, stayed: 3 }],
  },
)
export type RearrangedQueue = Static<typeof RearrangedQueue>
