import { calendar } from './calendar.ts'
import { compose } from './compose.ts'
import { names } from './names.ts'
import { pages } from './pages.ts'
import { post } from './post.ts'
import { problems } from './problems.ts'
import { shared } from './shared.ts'

export const table = { shared, names, problems, calendar, compose, post, pages }
