import type { Command } from 'commander'
import { isId } from '../../db/id.ts'
import { OperatorError } from '../errors.ts'
import { markPostPublished } from '../posts/mark-published.ts'
import { requireFound, withDatabase } from './command.ts'
import { addPostExport } from './post-export.ts'
import { addPostImport } from './post-import.ts'
import { formatPost, readPost, type ShownPost } from './show-post.ts'

export function addPostCommands(program: Command): void {
  const post = program.command('post').description('posts')
  addPostExport(post)
  addPostImport(post)

  withDatabase<object, ShownPost>(
    post
      .command('show')
      .description('show a post of any user: its files, its deliveries, their attempts and errors')
      .argument('<id>', 'the id of the post'),
    (db, _options, id = '') => readPost(db, id),
    formatPost,
  )

  withDatabase(
    post
      .command('mark-published')
      .description('mark a post as published, after publishing it by hand')
      .argument('<id>', 'the id of the post'),
    async (db, _options, id = '') => {
      const outcome = isId(id) ? await markPostPublished(db, id) : 'missing'
      if (outcome === 'busy') throw new OperatorError('The post is being published now: try again in a minute')
      requireFound(outcome === 'published', 'post')
      return { id, status: 'published' }
    },
  )
}
