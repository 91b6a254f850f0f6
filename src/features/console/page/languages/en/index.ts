import { calendar } from './calendar.ts'
import { compose } from './compose.ts'
import { names } from './names.ts'
import { pages } from './pages.ts'
import { post } from './post.ts'
import { problems } from './problems.ts'
import { shared } from './shared.ts'

/** The source of all tables: a key that another language lacks is an error of the type checker. */
export const table = { shared, names, problems, calendar, compose, post, pages } as const
